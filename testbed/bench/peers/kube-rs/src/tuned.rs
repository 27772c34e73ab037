//! No store: a streaming list and watch of a type that has only what is read, and
//! each event judged by itself. What the optimization guide calls a metadata
//! watcher would be smaller on the wire, but does not show the status, and a start
//! would then read every object one by one.

use std::cell::RefCell;
use std::collections::HashMap;
use std::error::Error;
use std::time::Duration;

use futures::{StreamExt, future};
use kube::runtime::WatchStreamExt;
use kube::runtime::watcher::{self, Event, watcher};
use kube::{Api, Client, ResourceExt};
use tokio::signal::unix::{SignalKind, signal};

use crate::cloud::Cloud;
use crate::crd::Glimpse;
use crate::reconcile::bring_up;

/// Namespace and name.
type Key = (String, String);

/// The objects in work; true: one changed meanwhile, and is looked at once more.
/// Without it two events in a row would buy two instances.
type InWork = RefCell<HashMap<Key, bool>>;

pub async fn run(client: Client, cloud: Cloud) -> Result<(), Box<dyn Error>> {
    let in_work = InWork::default();
    let config = watcher::Config::default().streaming_lists();
    let work = watcher(Api::<Glimpse>::all(client.clone()), config)
        .default_backoff()
        .filter_map(|event| future::ready(take(event, &in_work)))
        .for_each_concurrent(None, |o| serve(client.clone(), &cloud, &in_work, o));
    let mut terminated = signal(SignalKind::terminate())?;
    tokio::select! {
        () = work => {}
        _ = terminated.recv() => {}
    }
    Ok(())
}

/// The event's object, if there is something to do and nobody does it.
fn take(event: watcher::Result<Event<Glimpse>>, in_work: &InWork) -> Option<Glimpse> {
    match event {
        Ok(Event::Apply(o) | Event::InitApply(o)) if lacks(&o) => {
            let mut in_work = in_work.borrow_mut();
            if let Some(again) = in_work.get_mut(&key(&o)) {
                *again = true;
                return None;
            }
            in_work.insert(key(&o), false);
            Some(o)
        }
        Ok(Event::InitDone) => {
            eprintln!("synced");
            None
        }
        Ok(_) => None,
        Err(error) => {
            eprintln!("watch: {error}");
            None
        }
    }
}

fn key(o: &Glimpse) -> Key {
    (o.namespace().unwrap_or_default(), o.name_any())
}

/// Tells whether the status lacks the object's generation.
fn lacks(o: &Glimpse) -> bool {
    o.status.as_ref().and_then(|s| s.observed_generation) != o.metadata.generation
}

/// Serves an object until nothing is left to do.
async fn serve(client: Client, cloud: &Cloud, in_work: &InWork, o: Glimpse) {
    let key = key(&o);
    let mut next = Some(o);
    while let Some(o) = next.take() {
        let bought = o.status.as_ref().is_some_and(|s| s.instance_id.is_some());
        let generation = o.metadata.generation.unwrap_or_default();
        let done =
            bring_up::<Glimpse>(client.clone(), cloud, &key.0, &key.1, generation, bought).await;
        if let Err(error) = &done {
            eprintln!("{}: {error}", key.1);
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
        let again = in_work.borrow_mut().insert(key.clone(), false) == Some(true);
        if again || done.is_err() {
            let live = Api::<Glimpse>::namespaced(client.clone(), &key.0)
                .get_opt(&key.1)
                .await;
            next = live.ok().flatten().filter(lacks);
        }
    }
    in_work.borrow_mut().remove(&key);
}
