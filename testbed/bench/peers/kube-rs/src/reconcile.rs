//! What both forms do for an object whose status lacks its generation.

use kube::api::{Api, Patch, PatchParams};
use kube::core::NamespaceResourceScope;
use kube::{Client, Resource};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::cloud::{self, Cloud};

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Cloud(#[from] cloud::Error),
    #[error("write the status: {0}")]
    Status(#[from] kube::Error),
}

/// Brings an object's status up to `generation`; buys its instance if `bought` is
/// false. `K` is the type that the server's answer is read into.
pub async fn bring_up<K>(
    client: Client,
    cloud: &Cloud,
    namespace: &str,
    name: &str,
    generation: i64,
    bought: bool,
) -> Result<(), Error>
where
    K: Resource<Scope = NamespaceResourceScope, DynamicType = ()>
        + Clone
        + DeserializeOwned
        + std::fmt::Debug,
{
    let mut status = json!({"observedGeneration": generation, "phase": "Running"});
    if !bought {
        status["instanceID"] = cloud.buy().await?.into();
    }
    Api::<K>::namespaced(client, namespace)
        .patch_status(
            name,
            &PatchParams::default(),
            &Patch::Merge(json!({"status": status})),
        )
        .await?;
    Ok(())
}
