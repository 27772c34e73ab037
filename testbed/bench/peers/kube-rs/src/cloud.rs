//! The cloud, as far as this operator needs it: one call that buys an instance.

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::{Method, Request, Uri};
use hyper_util::client::legacy::{Client, connect::HttpConnector};
use hyper_util::rt::TokioExecutor;
use serde::Deserialize;

#[derive(Clone)]
pub struct Cloud {
    http: Client<HttpConnector, Empty<Bytes>>,
    url: Uri,
}

#[derive(Deserialize)]
struct Bought {
    id: String,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("call the cloud: {0}")]
    Call(#[from] hyper_util::client::legacy::Error),
    #[error("read the cloud's answer: {0}")]
    Read(#[from] hyper::Error),
    #[error("build the request: {0}")]
    Build(#[from] hyper::http::Error),
    #[error("understand the cloud's answer: {0}")]
    Understand(#[from] serde_json::Error),
}

impl Cloud {
    /// The cloud at `CLOUD_URL`.
    pub fn from_env() -> Result<Self, Box<dyn std::error::Error>> {
        let url = std::env::var("CLOUD_URL").map_err(|_| "CLOUD_URL is not set")?;
        Ok(Self {
            http: Client::builder(TokioExecutor::new()).build_http(),
            url: url.parse()?,
        })
    }

    /// Buys an instance and returns its id.
    pub async fn buy(&self) -> Result<String, Error> {
        let request = Request::builder()
            .method(Method::POST)
            .uri(self.url.clone())
            .body(Empty::new())?;
        let answer = self.http.request(request).await?;
        let body = answer.into_body().collect().await?.to_bytes();
        Ok(serde_json::from_slice::<Bought>(&body)?.id)
    }
}
