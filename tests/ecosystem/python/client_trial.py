"""The official Python client: typed and dynamic APIs, watches, apply, leader election; the server restarts under them."""

import threading
import time
import uuid

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.rest import ApiException
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.configmaplock import ConfigMapLock
from trial import attempt, eventually, finish, restart_server

NAMESPACE = "python-trial"
config.load_kube_config()
core, apps = client.CoreV1Api(), client.AppsV1Api()


def deployment(replicas=1, image="nginx:1"):
    container = {"name": "web", "image": image, "ports": [{"containerPort": 80}]}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web", "labels": {"app": "web"}},
        "spec": {
            "replicas": replicas,
            "selector": {"matchLabels": {"app": "web"}},
            "template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container]}},
        },
    }


def status_of(action):
    try:
        action()
        return 200
    except ApiException as error:
        return error.status


def typed():
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    attempt("create", lambda: apps.create_namespaced_deployment(NAMESPACE, deployment()).spec.replicas == 1)
    attempt("conflict on create", lambda: status_of(lambda: apps.create_namespaced_deployment(NAMESPACE, deployment())) == 409)
    attempt("dry run", lambda: apps.delete_namespaced_deployment("web", NAMESPACE, dry_run="All") and apps.read_namespaced_deployment("web", NAMESPACE))
    attempt("strategic merge patch", strategic_patch)
    attempt("scale subresource", lambda: apps.patch_namespaced_deployment_scale("web", NAMESPACE, {"spec": {"replicas": 4}}).spec.replicas == 4)
    attempt("stale update", stale_update)
    attempt("limit and continue", paging)
    attempt("field selector", lambda: len(core.list_namespaced_config_map(NAMESPACE, field_selector="metadata.name=page-3").items) == 1)
    attempt("delete collection", lambda: core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="page=yes") and not core.list_namespaced_config_map(NAMESPACE, label_selector="page=yes").items)
    attempt("version", lambda: client.VersionApi().get_code().major == "1")
    attempt("token request", lambda: core.create_namespaced_service_account_token("default", NAMESPACE, {"spec": {"expirationSeconds": 600}}).status.token if ensure_account() else False)
    attempt("create_from_dict", from_dict)


def ensure_account():
    if status_of(lambda: core.read_namespaced_service_account("default", NAMESPACE)) == 404:
        core.create_namespaced_service_account(NAMESPACE, {"metadata": {"name": "default"}})
    return True


def from_dict():
    documents = [{"apiVersion": "v1", "kind": "Secret", "metadata": {"name": f"s{i}"}, "stringData": {"k": str(i)}} for i in range(3)]
    for document in documents:
        utils.create_from_dict(client.ApiClient(), document, namespace=NAMESPACE)
    return core.read_namespaced_secret("s2", NAMESPACE).data == {"k": "Mg=="}


def strategic_patch():
    added = {"spec": {"template": {"spec": {"containers": [{"name": "side", "image": "busybox"}]}}}}
    patched = apps.patch_namespaced_deployment("web", NAMESPACE, added)
    return sorted(c.name for c in patched.spec.template.spec.containers) == ["side", "web"]


def stale_update():
    first = apps.read_namespaced_deployment("web", NAMESPACE)
    apps.patch_namespaced_deployment("web", NAMESPACE, {"metadata": {"annotations": {"a": str(uuid.uuid4())}}})
    return status_of(lambda: apps.replace_namespaced_deployment("web", NAMESPACE, first)) == 409


def paging():
    for index in range(25):
        core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": f"page-{index}", "labels": {"page": "yes"}}})
    names, token = [], None
    while True:
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="page=yes", limit=7, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
        if not token:
            return len(set(names)) == 25


def dynamic_client():
    api = dynamic.DynamicClient(client.ApiClient())
    attempt("discovery finds every kind once", lambda: api.resources.get(api_version="v1", kind="ConfigMap").namespaced)
    maps = api.resources.get(api_version="v1", kind="ConfigMap")
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": {"a": "1"}}
    attempt("server-side apply", lambda: maps.server_side_apply(body=body, namespace=NAMESPACE, name="applied", field_manager="one").data.a == "1")
    other = {**body, "data": {"a": "2"}}
    attempt("apply conflict", lambda: status_of(lambda: maps.server_side_apply(body=other, namespace=NAMESPACE, name="applied", field_manager="two")) == 409)
    attempt("forced apply", lambda: maps.server_side_apply(body=other, namespace=NAMESPACE, name="applied", field_manager="two", force_conflicts=True).data.a == "2")
    attempt("JSON patch", lambda: maps.patch(body=[{"op": "add", "path": "/data/b", "value": "3"}], name="applied", namespace=NAMESPACE, content_type="application/json-patch+json").data.b == "3")
    attempt("custom resource", lambda: custom_resource(api))
    attempt("pods of an evicted name", lambda: status_of(lambda: core.create_namespaced_pod_eviction("none", NAMESPACE, {"metadata": {"name": "none"}})) == 404)


def custom_resource(api):
    definitions = api.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    properties = {"spec": {"type": "object", "properties": {"size": {"type": "integer", "default": 3}}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}}}
    names = {"plural": "gadgets", "singular": "gadget", "kind": "Gadget"}
    spec = {"group": "trial.python", "scope": "Namespaced", "names": names, "versions": [version]}
    definitions.create({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gadgets.trial.python"}, "spec": spec})
    conditions = lambda: {c.type: c.status for c in definitions.get("gadgets.trial.python").status.conditions or []}
    eventually(lambda: conditions().get("Established") == "True")
    api.resources.invalidate_cache()
    gadgets = eventually(lambda: found(api))
    made = eventually(lambda: created(gadgets))
    return made.spec.size == 3


def found(api):
    try:
        return api.resources.get(api_version="trial.python/v1", kind="Gadget")
    except dynamic.exceptions.ResourceNotFoundError:
        api.resources.invalidate_cache()
        return None


def created(gadgets):
    try:
        return gadgets.create(body={"apiVersion": "trial.python/v1", "kind": "Gadget", "metadata": {"name": "g"}, "spec": {}}, namespace=NAMESPACE)
    except ApiException:
        return None


class Watcher(threading.Thread):
    """Keeps a dictionary of ConfigMaps as users write it: list, watch, start over on 410 or a lost connection."""

    def __init__(self):
        super().__init__(daemon=True)
        self.state, self.lists = {}, 0
        self.start()

    def run(self):
        while True:
            try:
                listing = core.list_namespaced_config_map(NAMESPACE, label_selector="watched=yes")
                self.lists += 1
                self.state = {item.metadata.name: item.data for item in listing.items}
                self.follow(listing.metadata.resource_version)
            except Exception:
                time.sleep(0.3)

    def follow(self, version):
        while True:
            stream = watch.Watch()
            for event in stream.stream(core.list_namespaced_config_map, NAMESPACE, label_selector="watched=yes", resource_version=version, timeout_seconds=5, allow_watch_bookmarks=True):
                version = event["raw_object"]["metadata"]["resourceVersion"]
                if event["type"] == "DELETED":
                    self.state.pop(event["object"].metadata.name, None)
                elif event["type"] != "BOOKMARK":
                    self.state[event["object"].metadata.name] = event["object"].data


def write_map(index, value):
    name = f"watched-{index}"
    core.create_namespaced_config_map(NAMESPACE, {"metadata": {"name": name, "labels": {"watched": "yes"}}, "data": {"v": value}})


def watching():
    watcher = Watcher()
    for index in range(30):
        write_map(index, "first")
    attempt("watch sees every create", lambda: eventually(lambda: len(watcher.state) == 30))
    restart_server()
    for index in range(30, 60):
        eventually(lambda: succeeded(lambda: write_map(index, "second")))
    for index in range(10):
        core.delete_namespaced_config_map(f"watched-{index}", NAMESPACE)
    same = lambda: watcher.state == {i.metadata.name: i.data for i in core.list_namespaced_config_map(NAMESPACE, label_selector="watched=yes").items}
    attempt("watch converges after the restart", lambda: eventually(same) and len(watcher.state) == 50)
    attempt("a watch that times out goes on without a list", lambda: lists_stay(watcher))


def lists_stay(watcher):
    before = watcher.lists
    time.sleep(11)
    core.delete_namespaced_config_map("watched-20", NAMESPACE)
    return eventually(lambda: "watched-20" not in watcher.state) and watcher.lists == before


def succeeded(action):
    return status_safe(action) in (200, 409)


def status_safe(action):
    try:
        return status_of(action)
    except Exception:
        return 0


def elections():
    terms = []

    def candidate(identity):
        def leading():
            terms.append(identity)

        lock = ConfigMapLock("election", NAMESPACE, identity)
        settings = electionconfig.Config(lock, lease_duration=6, renew_deadline=4, retry_period=1, onstarted_leading=leading, onstopped_leading=None)
        threading.Thread(target=leaderelection.LeaderElection(settings).run, daemon=True).start()

    candidate("first")
    attempt("first candidate leads", lambda: eventually(lambda: terms == ["first"]))
    candidate("second")
    time.sleep(8)
    attempt("one leader at a time", lambda: terms == ["first"])


def main():
    typed()
    dynamic_client()
    elections()
    watching()
    finish()


main()
