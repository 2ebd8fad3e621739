//! Requests of the typed and the dynamic API, one at a time.

use anyhow::Result;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use kube::api::{Api, DeleteParams, DynamicObject, ListParams, Patch, PatchParams, PostParams, ValidationDirective};
use kube::core::{GroupVersionKind, ObjectMeta, PartialObjectMetaExt};
use kube::discovery::{self, Discovery, Scope};
use kube::runtime::events::{Event, EventType, Recorder, Reporter};
use kube::{Client, Resource, ResourceExt};
use serde_json::{Value, json};

use crate::report::check;

pub const NAMESPACE: &str = "kube-rs-trial";

pub async fn run(client: &Client) {
    let namespaces: Api<Namespace> = Api::all(client.clone());
    let body = Namespace { metadata: ObjectMeta { name: Some(NAMESPACE.into()), ..Default::default() }, ..Default::default() };
    namespaces.create(&PostParams::default(), &body).await.expect("a namespace");
    check("paging", paging(client)).await;
    check("metadata only", metadata(client)).await;
    check("strict validation", strict(client)).await;
    check("apply, conflict, force", apply(client)).await;
    check("JSON patch", json_patch(client)).await;
    check("dynamic objects", dynamic(client)).await;
    check("discovery", discover(client)).await;
    check("aggregated discovery", aggregated(client)).await;
    check("discovery of a pinned kind", pinned(client)).await;
    check("leases", leases(client)).await;
    check("events", events(client)).await;
    check("deletion with preconditions", preconditions(client)).await;
}

pub fn config_map(name: &str, value: &str) -> ConfigMap {
    serde_json::from_value(json!({
        "metadata": { "name": name, "labels": { "trial": "yes" } },
        "data": { "value": value }
    }))
    .expect("a ConfigMap")
}

fn maps(client: &Client) -> Api<ConfigMap> {
    Api::namespaced(client.clone(), NAMESPACE)
}

async fn paging(client: &Client) -> Result<bool> {
    for index in 0..12 {
        maps(client).create(&PostParams::default(), &config_map(&format!("page-{index}"), "x")).await?;
    }
    let mut params = ListParams::default().labels("trial=yes").limit(5);
    let mut names = Vec::new();
    loop {
        let page = maps(client).list(&params).await?;
        names.extend(page.items.iter().map(|item| item.name_any()));
        match page.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => params = params.continue_token(&token),
            None => return Ok(names.len() == 12),
        }
    }
}

async fn metadata(client: &Client) -> Result<bool> {
    let list = maps(client).list_metadata(&ListParams::default().labels("trial=yes")).await?;
    let one = maps(client).get_metadata("page-1").await?;
    let patch = ObjectMeta { labels: Some([("extra".to_string(), "1".to_string())].into()), ..Default::default() };
    let patch = patch.into_request_partial::<ConfigMap>();
    let patched = maps(client).patch_metadata("page-1", &PatchParams::apply("meta"), &Patch::Apply(&patch)).await?;
    Ok(list.items.len() == 12 && one.types.is_some_and(|t| t.kind == "PartialObjectMetadata") && patched.labels()["extra"] == "1")
}

async fn strict(client: &Client) -> Result<bool> {
    let params = PatchParams { field_validation: Some(ValidationDirective::Strict), ..PatchParams::apply("strict") };
    let body = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "strict" }, "unknown": 1 });
    Ok(matches!(maps(client).patch("strict", &params, &Patch::Apply(body)).await, Err(kube::Error::Api(status)) if status.code >= 400))
}

async fn apply(client: &Client) -> Result<bool> {
    let body = |value: &str| json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "applied" }, "data": { "a": value } });
    maps(client).patch("applied", &PatchParams::apply("one"), &Patch::Apply(body("1"))).await?;
    let conflict = maps(client).patch("applied", &PatchParams::apply("two"), &Patch::Apply(body("2"))).await;
    let forced = maps(client).patch("applied", &PatchParams::apply("two").force(), &Patch::Apply(body("2"))).await?;
    let owners: Vec<_> = forced.managed_fields().iter().filter_map(|entry| entry.manager.clone()).collect();
    Ok(matches!(conflict, Err(kube::Error::Api(status)) if status.code == 409) && owners == ["two"])
}

async fn json_patch(client: &Client) -> Result<bool> {
    let body = json!([{ "op": "test", "path": "/data/a", "value": "2" }, { "op": "add", "path": "/data/b", "value": "3" }]);
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), NAMESPACE, &kube::api::ApiResource::erase::<ConfigMap>(&()));
    let patch: Patch<Value> = Patch::Merge(json!({ "data": { "c": "4" } }));
    let merged = api.patch("applied", &PatchParams::default(), &patch).await?;
    let request = http_patch(body)?;
    let patched: ConfigMap = client.request(request).await?;
    Ok(merged.data["data"]["c"] == "4" && patched.data.is_some_and(|data| data["b"] == "3"))
}

fn http_patch(body: Value) -> Result<http::Request<Vec<u8>>> {
    let path = format!("/api/v1/namespaces/{NAMESPACE}/configmaps/applied");
    let builder = http::Request::patch(path).header("content-type", "application/json-patch+json");
    Ok(builder.body(serde_json::to_vec(&body)?)?)
}

async fn dynamic(client: &Client) -> Result<bool> {
    let kind = GroupVersionKind::gvk("rbac.authorization.k8s.io", "v1", "Role");
    let (resource, _) = discovery::pinned_kind(client, &kind).await?;
    let api: Api<DynamicObject> = Api::namespaced_with(client.clone(), NAMESPACE, &resource);
    let rules = json!({ "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["get"] }] });
    let mut role = DynamicObject::new("reader", &resource).data(rules);
    role = api.create(&PostParams::default(), &role).await?;
    role.data["rules"][0]["verbs"] = json!(["get", "list"]);
    let replaced = api.replace("reader", &PostParams::default(), &role).await?;
    let stale = api.replace("reader", &PostParams::default(), &role).await;
    Ok(replaced.data["rules"][0]["verbs"][1] == "list" && matches!(stale, Err(kube::Error::Api(status)) if status.code == 409))
}

async fn discover(client: &Client) -> Result<bool> {
    let found = Discovery::new(client.clone()).run().await?;
    let group = found.get("apps").ok_or_else(|| anyhow::anyhow!("no apps"))?;
    let (_, deployment) = group.recommended_kind("Deployment").ok_or_else(|| anyhow::anyhow!("no Deployment"))?;
    let subresources: Vec<_> = deployment.subresources.iter().map(|(resource, _)| resource.plural.clone()).collect();
    Ok(found.groups().count() > 15 && deployment.scope == Scope::Namespaced && subresources.len() == 2)
}

async fn aggregated(client: &Client) -> Result<bool> {
    let one = Discovery::new(client.clone()).run_aggregated().await?;
    let other = Discovery::new(client.clone()).run().await?;
    let names = |found: &Discovery| found.groups_alphabetical().iter().map(|group| group.name().to_string()).collect::<Vec<_>>();
    Ok(names(&one) == names(&other))
}

async fn pinned(client: &Client) -> Result<bool> {
    let missing = discovery::pinned_kind(client, &GroupVersionKind::gvk("apps", "v1", "Nothing")).await;
    let missing_group = discovery::group(client, "nothing.example").await;
    let (pod, _) = discovery::pinned_kind(client, &GroupVersionKind::gvk("", "v1", "Pod")).await?;
    Ok(missing.is_err() && missing_group.is_err() && pod.plural == Pod::plural(&()))
}

async fn leases(client: &Client) -> Result<bool> {
    let api: Api<Lease> = Api::namespaced(client.clone(), NAMESPACE);
    let body = |holder: &str| json!({
        "apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": { "name": "lock" },
        "spec": { "holderIdentity": holder, "leaseDurationSeconds": 5, "renewTime": "2026-01-02T03:04:05.678901Z" }
    });
    api.patch("lock", &PatchParams::apply("a"), &Patch::Apply(body("a"))).await?;
    let conflict = api.patch("lock", &PatchParams::apply("b"), &Patch::Apply(body("b"))).await;
    let read = api.get("lock").await?;
    let renewed = serde_json::to_value(&read)?["spec"]["renewTime"].clone();
    Ok(conflict.is_err() && renewed == "2026-01-02T03:04:05.678901Z")
}

async fn events(client: &Client) -> Result<bool> {
    let subject = maps(client).get("applied").await?;
    let recorder = Recorder::new(client.clone(), Reporter { controller: "trial".into(), instance: None });
    let event = |note: &str| Event {
        type_: EventType::Normal,
        reason: "Tried".into(),
        note: Some(note.into()),
        action: "Try".into(),
        secondary: None,
    };
    for _ in 0..3 {
        recorder.publish(&event("again"), &subject.object_ref(&())).await?;
    }
    let api: Api<k8s_openapi::api::events::v1::Event> = Api::namespaced(client.clone(), NAMESPACE);
    let list = api.list(&ListParams::default().fields("regarding.name=applied")).await?;
    Ok(list.items.len() == 1 && list.items[0].series.as_ref().is_some_and(|series| series.count == 3))
}

async fn preconditions(client: &Client) -> Result<bool> {
    let wrong = DeleteParams { preconditions: Some(kube::api::Preconditions { uid: Some("x".into()), resource_version: None }), ..Default::default() };
    let refused = maps(client).delete("applied", &wrong).await;
    maps(client).delete_collection(&DeleteParams::default(), &ListParams::default().labels("trial=yes")).await?;
    Ok(matches!(refused, Err(kube::Error::Api(status)) if status.code == 409) && maps(client).get_opt("page-1").await?.is_none())
}
