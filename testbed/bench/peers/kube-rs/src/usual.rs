//! A Controller with its defaults: a reflector that stores every object whole,
//! and as many reconciles at once as there are objects to reconcile.

use std::error::Error;
use std::sync::{Arc, Once};
use std::time::Duration;

use futures::StreamExt;
use kube::runtime::controller::{Action, Controller};
use kube::runtime::watcher;
use kube::{Api, Client, ResourceExt};

use crate::cloud::Cloud;
use crate::crd::PostgresDB;
use crate::reconcile::{self, bring_up};

struct Context {
    client: Client,
    cloud: Cloud,
}

/// The Controller reconciles nothing before its store is whole.
static SYNCED: Once = Once::new();

async fn reconcile(o: Arc<PostgresDB>, ctx: Arc<Context>) -> Result<Action, reconcile::Error> {
    SYNCED.call_once(|| eprintln!("synced"));
    let generation = o.metadata.generation.unwrap_or_default();
    let status = o.status.as_ref();
    if status.and_then(|s| s.observed_generation) != Some(generation) {
        let bought = status.is_some_and(|s| s.instance_id.is_some());
        let namespace = o.namespace().unwrap_or_default();
        bring_up::<PostgresDB>(
            ctx.client.clone(),
            &ctx.cloud,
            &namespace,
            &o.name_any(),
            generation,
            bought,
        )
        .await?;
    }
    Ok(Action::await_change())
}

fn error_policy(o: Arc<PostgresDB>, error: &reconcile::Error, _: Arc<Context>) -> Action {
    eprintln!("{}: {error}", o.name_any());
    Action::requeue(Duration::from_secs(5))
}

pub async fn run(client: Client, cloud: Cloud) -> Result<(), Box<dyn Error>> {
    Controller::new(
        Api::<PostgresDB>::all(client.clone()),
        watcher::Config::default(),
    )
    .shutdown_on_signal()
    .run(reconcile, error_policy, Arc::new(Context { client, cloud }))
    .for_each(|done| async move {
        if let Err(error) = done {
            eprintln!("controller: {error}");
        }
    })
    .await;
    Ok(())
}
