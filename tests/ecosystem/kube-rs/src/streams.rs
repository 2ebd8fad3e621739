//! Watchers and a reflector, with lists in pages and as streams, while the server is killed.

use std::time::Duration;

use anyhow::Result;
use futures::{StreamExt, TryStreamExt};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::runtime::reflector::{self, Store};
use kube::runtime::{WatchStreamExt, metadata_watcher, watcher};
use kube::{Client, ResourceExt};
use serde_json::json;
use tokio::task::JoinHandle;

use crate::objects::{NAMESPACE, config_map};
use crate::report::{check, eventually, restart_server};

pub async fn run(client: &Client) {
    let api: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let selected = || watcher::Config::default().labels("trial=yes").timeout(10);
    let (paged, paged_task) = reflect(&api, selected().page_size(7));
    let (streamed, streamed_task) = reflect(&api, selected().streaming_lists());
    check("reflectors see what is written", write(&api, 0..30)).await;
    check("a paged list and its watch", holds(&paged, 30)).await;
    check("a streamed list and its watch", holds(&streamed, 30)).await;
    check("metadata watcher", metadata(client)).await;
    check("watch of one object", one_object(&api)).await;
    restart_server().await;
    check("writes after the restart", write(&api, 30..60)).await;
    check("deletes after the restart", remove(&api, 0..10)).await;
    check("the paged reflector converges", holds(&paged, 50)).await;
    check("the streamed reflector converges", holds(&streamed, 50)).await;
    check("a new streamed list", async {
        let (store, task) = reflect(&api, selected().streaming_lists());
        store.wait_until_ready().await?;
        task.abort();
        Ok(store.len() == 50)
    })
    .await;
    paged_task.abort();
    streamed_task.abort();
}

fn reflect(api: &Api<ConfigMap>, config: watcher::Config) -> (Store<ConfigMap>, JoinHandle<()>) {
    let (reader, writer) = reflector::store();
    let stream = watcher(api.clone(), config).default_backoff().reflect(writer).touched_objects();
    (reader, tokio::spawn(stream.for_each(|_| async {})))
}

async fn holds(store: &Store<ConfigMap>, count: usize) -> Result<bool> {
    Ok(eventually(|| async { store.len() == count && store.state().iter().all(|item| item.data.is_some()) }).await)
}

async fn write(api: &Api<ConfigMap>, indices: std::ops::Range<usize>) -> Result<bool> {
    for index in indices {
        let body = config_map(&format!("watched-{index}"), &index.to_string());
        let written = eventually(|| async {
            match api.create(&PostParams::default(), &body).await {
                Ok(_) => true,
                Err(kube::Error::Api(status)) => status.code == 409,
                Err(_) => false,
            }
        });
        if !written.await {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn remove(api: &Api<ConfigMap>, indices: std::ops::Range<usize>) -> Result<bool> {
    for index in indices {
        api.delete(&format!("watched-{index}"), &DeleteParams::default()).await?;
    }
    Ok(true)
}

async fn metadata(client: &Client) -> Result<bool> {
    let api: Api<Secret> = Api::namespaced(client.clone(), NAMESPACE);
    let mut stream = Box::pin(metadata_watcher(api.clone(), watcher::Config::default()).applied_objects());
    let body: Secret = serde_json::from_value(json!({ "metadata": { "name": "s" }, "stringData": { "k": "v" } }))?;
    api.create(&PostParams::default(), &body).await?;
    let first = tokio::time::timeout(Duration::from_secs(20), stream.try_next()).await??;
    Ok(first.is_some_and(|item| item.name_any() == "s"))
}

async fn one_object(api: &Api<ConfigMap>) -> Result<bool> {
    let mut stream = Box::pin(kube::runtime::watcher::watch_object(api.clone(), "watched-3"));
    let initial = stream.try_next().await?.flatten();
    let patch = Patch::Merge(json!({ "data": { "value": "changed" } }));
    api.patch("watched-3", &PatchParams::default(), &patch).await?;
    let next = stream.try_next().await?.flatten().and_then(|item| item.data);
    Ok(initial.is_some() && next.is_some_and(|data| data["value"] == "changed"))
}
