//! A controller with a derived CRD, finalizers, owned objects and status, while the server is killed.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::controller::{Action, Controller};
use kube::runtime::finalizer::{Event, finalizer};
use kube::runtime::wait::{await_condition, conditions};
use kube::runtime::watcher;
use kube::{Client, CustomResource, CustomResourceExt, Resource, ResourceExt};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::objects::NAMESPACE;
use crate::report::{check, eventually, restart_server};

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "trial.kube.rs", version = "v1", kind = "Shelf", plural = "shelves", namespaced, status = "ShelfStatus", shortname = "shf")]
#[kube(scale(spec_replicas_path = ".spec.books", status_replicas_path = ".status.books"))]
#[kube(printcolumn(name = "Books", type_ = "integer", json_path = ".spec.books"))]
#[serde(rename_all = "camelCase")]
pub struct ShelfSpec {
    #[schemars(range(min = 0, max = 1000))]
    books: i32,
    #[serde(default)]
    label: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct ShelfStatus {
    books: i32,
}

type Failure = kube::runtime::finalizer::Error<kube::Error>;
const CRD: &str = "shelves.trial.kube.rs";
const COUNT: i32 = 25;

pub async fn run(client: &Client) {
    let shelves: Api<Shelf> = Api::namespaced(client.clone(), NAMESPACE);
    check("a derived CRD is established", define(client)).await;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn(control(client.clone(), stopped));
    check("validation of the derived schema", refuses(&shelves)).await;
    check("creates", create_all(&shelves)).await;
    check("the controller reaches every object", settles(client, &shelves, 0)).await;
    restart_server().await;
    check("updates after the restart", raise_all(&shelves)).await;
    check("the controller recovers", settles(client, &shelves, 100)).await;
    check("an owned object is repaired", repairs(client)).await;
    check("finalizers run on deletion", empties(client, &shelves)).await;
    let _ = stop.send(());
    check("the controller stops", async { Ok(tokio::time::timeout(Duration::from_secs(20), running).await?.is_ok()) }).await;
}

async fn define(client: &Client) -> Result<bool> {
    let api: Api<CustomResourceDefinition> = Api::all(client.clone());
    api.patch(CRD, &PatchParams::apply("trial"), &Patch::Apply(Shelf::crd())).await?;
    tokio::time::timeout(Duration::from_secs(20), await_condition(api, CRD, conditions::is_crd_established())).await??;
    Ok(true)
}

async fn control(client: Client, stopped: tokio::sync::oneshot::Receiver<()>) {
    let shelves: Api<Shelf> = Api::namespaced(client.clone(), NAMESPACE);
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let config = || watcher::Config::default().timeout(15);
    Controller::new(shelves, config())
        .owns(maps, config())
        .graceful_shutdown_on(async move { drop(stopped.await) })
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_secs(1)), Arc::new(client))
        .for_each(|_| async {})
        .await;
}

async fn reconcile(shelf: Arc<Shelf>, client: Arc<Client>) -> Result<Action, Failure> {
    let api: Api<Shelf> = Api::namespaced((*client).clone(), NAMESPACE);
    finalizer(&api, "trial.kube.rs/cleanup", shelf, |event| async {
        match event {
            Event::Apply(shelf) => apply(&shelf, &client).await,
            Event::Cleanup(shelf) => clean_up(&shelf, &client).await,
        }
    })
    .await
}

async fn apply(shelf: &Shelf, client: &Client) -> Result<Action, kube::Error> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let shelves: Api<Shelf> = Api::namespaced(client.clone(), NAMESPACE);
    let name = shelf.name_any();
    let child = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": format!("{name}-child"), "ownerReferences": [shelf.controller_owner_ref(&())] },
        "data": { "books": shelf.spec.books.to_string() }
    });
    let params = PatchParams::apply("shelf-controller").force();
    maps.patch(&format!("{name}-child"), &params, &Patch::Apply(child)).await?;
    let status = json!({ "apiVersion": "trial.kube.rs/v1", "kind": "Shelf", "status": { "books": shelf.spec.books } });
    shelves.patch_status(&name, &params, &Patch::Apply(status)).await?;
    Ok(Action::await_change())
}

async fn clean_up(shelf: &Shelf, client: &Client) -> Result<Action, kube::Error> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    match maps.delete(&format!("{}-child", shelf.name_any()), &DeleteParams::default()).await {
        Err(kube::Error::Api(status)) if status.code == 404 => Ok(Action::await_change()),
        other => other.map(|_| Action::await_change()),
    }
}

async fn refuses(shelves: &Api<Shelf>) -> Result<bool> {
    let body = Shelf::new("bad", ShelfSpec { books: 1001, label: None });
    Ok(matches!(shelves.create(&PostParams::default(), &body).await, Err(kube::Error::Api(status)) if status.code == 422))
}

async fn create_all(shelves: &Api<Shelf>) -> Result<bool> {
    for index in 0..COUNT {
        let spec = ShelfSpec { books: index, label: Some("x".into()) };
        shelves.create(&PostParams::default(), &Shelf::new(&format!("shelf-{index}"), spec)).await?;
    }
    Ok(true)
}

async fn raise_all(shelves: &Api<Shelf>) -> Result<bool> {
    for index in 0..COUNT {
        let patch = Patch::Merge(json!({ "spec": { "replicas": index + 100 } }));
        let name = format!("shelf-{index}");
        if !eventually(|| async { shelves.patch_scale(&name, &PatchParams::default(), &patch).await.is_ok() }).await {
            return Ok(false);
        }
    }
    Ok(true)
}

async fn settles(client: &Client, shelves: &Api<Shelf>, added: i32) -> Result<bool> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    Ok(eventually(|| async {
        for index in 0..COUNT {
            let Ok(shelf) = shelves.get(&format!("shelf-{index}")).await else { return false };
            let Ok(child) = maps.get(&format!("shelf-{index}-child")).await else { return false };
            let wanted = index + added;
            let held = child.data.and_then(|data| data.get("books").cloned());
            if shelf.status.map(|status| status.books) != Some(wanted) || held != Some(wanted.to_string()) {
                return false;
            }
        }
        true
    })
    .await)
}

async fn repairs(client: &Client) -> Result<bool> {
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    maps.delete("shelf-1-child", &DeleteParams::default()).await?;
    Ok(eventually(|| async { maps.get_opt("shelf-1-child").await.is_ok_and(|found| found.is_some()) }).await)
}

async fn empties(client: &Client, shelves: &Api<Shelf>) -> Result<bool> {
    shelves.delete_collection(&DeleteParams::default(), &ListParams::default()).await?;
    let maps: Api<ConfigMap> = Api::namespaced(client.clone(), NAMESPACE);
    let gone = eventually(|| async { shelves.list(&ListParams::default()).await.is_ok_and(|list| list.items.is_empty()) }).await;
    Ok(gone && maps.get_opt("shelf-1-child").await?.is_none())
}
