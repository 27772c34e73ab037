//! The kube-rs operator that Mote is measured against: it watches PostgresDB and
//! writes `observedGeneration` and `phase` into the status of every object that
//! lacks the present generation. An object without an instance is bought first,
//! with one call to the cloud at `CLOUD_URL`.
//!
//! `kube-rs-peer usual` is what kube.rs shows first: a `Controller` with its
//! defaults. `kube-rs-peer tuned` is what its optimization guide leads to: a
//! streaming list, a type with nothing but what is read, and no store.
//!
//! It prints `synced` on standard error once the first list is whole.

mod cloud;
mod crd;
mod reconcile;
mod tuned;
mod usual;

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let mut runtime = match std::env::args().nth(1).as_deref() {
        Some("usual") => tokio::runtime::Builder::new_multi_thread(),
        Some("tuned") => tokio::runtime::Builder::new_current_thread(),
        _ => return Err("usage: kube-rs-peer usual|tuned".into()),
    };
    let tuned = std::env::args().nth(1).as_deref() == Some("tuned");
    runtime.enable_all().build()?.block_on(async {
        let client = kube::Client::try_default().await?;
        let cloud = cloud::Cloud::from_env()?;
        if tuned {
            tuned::run(client, cloud).await
        } else {
            usual::run(client, cloud).await
        }
    })
}
