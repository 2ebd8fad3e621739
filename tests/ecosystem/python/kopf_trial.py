"""A kopf operator with every kind of handler, driven through the official client, with a restart of the server."""

import asyncio
import threading

import kopf
from kopf._core.intents.registries import SmartOperatorRegistry
from kubernetes import client, config
from kubernetes.client.rest import ApiException
from trial import attempt, check, eventually, finish, restart_server

GROUP, VERSION, PLURAL, NAMESPACE = "trial.kopf", "v1", "widgets", "kopf-trial"

config.load_kube_config()
custom = client.CustomObjectsApi()
core = client.CoreV1Api()
seen = {"resumed": set(), "fields": [], "events": set(), "daemons": set(), "ended": set()}


def schema(preserve=True):
    return {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": preserve}}


def definition(plural, kind, group, scope="Namespaced", status=True):
    version = {"name": "v1", "served": True, "storage": True, "schema": schema()}
    if status:
        version["subresources"] = {"status": {}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"plural": plural, "singular": kind.lower(), "kind": kind},
            "versions": [version],
        },
    }


def put_child(body, name, namespace, spec):
    """Idempotent, as a handler is called again when the answer to its last patch was lost."""
    child = {"metadata": {"name": f"{name}-child"}, "data": {"size": str(spec.get("size"))}}
    kopf.adopt(child, owner=body)
    try:
        core.create_namespaced_config_map(namespace, child)
    except ApiException as error:
        if error.status != 409:
            raise
        core.replace_namespaced_config_map(f"{name}-child", namespace, child)


def drop_child(name, namespace):
    try:
        core.delete_namespaced_config_map(f"{name}-child", namespace)
    except ApiException as error:
        if error.status != 404:
            raise


def operator_registry():
    registry = SmartOperatorRegistry()
    on = {"registry": registry}
    handler = {**on, "backoff": 1}

    @kopf.on.startup(**on)
    def configure(settings, **_):
        settings.watching.server_timeout = 20
        settings.networking.error_backoffs = [0.2, 0.5, 1, 2]
        settings.persistence.finalizer = f"{GROUP}/finalizer"

    @kopf.on.create(GROUP, VERSION, PLURAL, id="created", **handler)
    def created(body, spec, name, namespace, patch, retry, **_):
        if spec.get("flaky") and retry == 0:
            raise kopf.TemporaryError("first attempt", delay=0.5)
        put_child(body, name, namespace, spec)
        patch.status["ready"] = True
        patch.status["retries"] = retry
        kopf.info(body, reason="Created", message="child created")
        return {"child": f"{name}-child"}

    @kopf.on.update(GROUP, VERSION, PLURAL, **handler)
    def updated(body, spec, name, namespace, patch, **_):
        put_child(body, name, namespace, spec)
        patch.status["size"] = spec.get("size")

    @kopf.on.field(GROUP, VERSION, PLURAL, field="spec.size", **on)
    def resized(old, new, name, **_):
        seen["fields"].append((name, old, new))

    @kopf.on.resume(GROUP, VERSION, PLURAL, **on)
    def resumed(name, **_):
        seen["resumed"].add(name)

    @kopf.on.event("", "v1", "configmaps", **on)
    def heard(name, type, **_):
        seen["events"].add((type, name))

    @kopf.timer(GROUP, VERSION, PLURAL, interval=0.5, when=lambda spec, **_: spec.get("ticking"), **on)
    def tick(status, patch, **_):
        patch.status["ticks"] = status.get("ticks", 0) + 1

    @kopf.daemon(GROUP, VERSION, PLURAL, when=lambda spec, **_: spec.get("daemon"), **on)
    async def daemon(name, stopped, **_):
        seen["daemons"].add(name)
        await stopped.wait()
        seen["ended"].add(name)

    @kopf.on.delete(GROUP, VERSION, PLURAL, **handler)
    def deleted(name, namespace, **_):
        drop_child(name, namespace)

    return registry


class Operator:
    """An operator in a thread of its own."""

    def __init__(self, registry, **options):
        self.stop_flag, self.error = threading.Event(), None
        self.thread = threading.Thread(target=self._run, args=(registry, options), daemon=True)
        self.thread.start()

    def _run(self, registry, options):
        try:
            asyncio.run(kopf.operator(registry=registry, stop_flag=self.stop_flag, **options))
        except Exception as error:
            self.error = error

    def stop(self):
        self.stop_flag.set()
        self.thread.join(30)
        return not self.thread.is_alive() and self.error is None


def prepare():
    extensions = client.ApiextensionsV1Api()
    for body in (
        definition(PLURAL, "Widget", GROUP),
        definition("clusterkopfpeerings", "ClusterKopfPeering", "kopf.dev", "Cluster", status=False),
        definition("kopfpeerings", "KopfPeering", "kopf.dev", status=False),
    ):
        extensions.create_custom_resource_definition(body)
    core.create_namespace({"metadata": {"name": NAMESPACE}})
    peering = {"apiVersion": "kopf.dev/v1", "kind": "KopfPeering", "metadata": {"name": "trial", "namespace": NAMESPACE}}
    eventually(lambda: succeeds(lambda: custom.create_namespaced_custom_object("kopf.dev", "v1", NAMESPACE, "kopfpeerings", peering)))
    return eventually(lambda: succeeds(widgets))


def succeeds(action):
    try:
        action()
        return True
    except ApiException:
        return False


def widgets():
    return custom.list_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL)["items"]


def widget(name):
    return custom.get_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, name)


def create(name, **spec):
    body = {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Widget", "metadata": {"name": name}, "spec": spec}
    return custom.create_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, body)


def resize(name, size):
    custom.patch_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, name, {"spec": {"size": size}})


def delete(name):
    custom.delete_namespaced_custom_object(GROUP, VERSION, NAMESPACE, PLURAL, name)


def status(name):
    return widget(name).get("status", {})


def child_size(name):
    try:
        return core.read_namespaced_config_map(f"{name}-child", NAMESPACE).data["size"]
    except ApiException as error:
        return error.status


def gone(name):
    try:
        widget(name)
        return False
    except ApiException as error:
        return error.status == 404 and child_size(name) == 404


def ordinary_life():
    create("one", size=1)
    attempt("create handler", lambda: eventually(lambda: status("one").get("ready")) and child_size("one") == "1")
    attempt("handler result in status", lambda: status("one")["created"] == {"child": "one-child"})
    attempt("finalizer", lambda: eventually(lambda: f"{GROUP}/finalizer" in widget("one")["metadata"].get("finalizers", [])))
    create("flaky", size=1, flaky=True)
    attempt("retry after a temporary error", lambda: eventually(lambda: status("flaky").get("retries") == 1))
    resize("one", 2)
    attempt("update handler", lambda: eventually(lambda: status("one").get("size") == 2) and child_size("one") == "2")
    attempt("field handler", lambda: eventually(lambda: ("one", 1, 2) in seen["fields"]))
    attempt("event handler", lambda: eventually(lambda: any(name == "one-child" for _, name in seen["events"])))
    create("ticking", size=1, ticking=True, daemon=True)
    attempt("timer", lambda: eventually(lambda: status("ticking").get("ticks", 0) >= 3))
    attempt("daemon", lambda: eventually(lambda: "ticking" in seen["daemons"]))
    attempt("posted events", lambda: eventually(lambda: any(e.involved_object.name == "one" for e in core.list_namespaced_event(NAMESPACE).items)))
    delete("one")
    attempt("delete handler", lambda: eventually(lambda: gone("one")))


def peering():
    stronger = Operator(SmartOperatorRegistry(), namespaces=[NAMESPACE], peering_name="trial", priority=100)
    attempt("peering holds both operators", lambda: eventually(lambda: len(peers()) == 2))
    create("paused", size=1)
    attempt("the weaker operator is paused", lambda: not eventually(lambda: status("paused").get("ready"), 3))
    attempt("the stronger operator stops", stronger.stop)
    attempt("the weaker operator goes on", lambda: eventually(lambda: status("paused").get("ready"), 60))


def peers():
    body = custom.get_namespaced_custom_object("kopf.dev", "v1", NAMESPACE, "kopfpeerings", "trial")
    return [key for key, value in body.get("status", {}).items() if value]


def crash():
    for index in range(40):
        create(f"bulk-{index}", size=index)
    restart_server()
    attempt("creates go on after the restart", lambda: eventually(lambda: all(is_ready(f"bulk-{i}") for i in range(40)), 90))
    for index in range(40):
        resize(f"bulk-{index}", index + 100)
    create("after", size=7)
    attempt("created after the restart", lambda: eventually(lambda: child_size("after") == "7", 60))
    eventually(lambda: not wrong_children(), 90)
    check("every child is right after the restart", not wrong_children(), wrong_children())
    attempt("the timer ticks after the restart", lambda: rises("ticking", status("ticking").get("ticks", 0)))
    for index in range(40):
        delete(f"bulk-{index}")
    attempt("every object is deleted", lambda: eventually(lambda: all(gone(f"bulk-{i}") for i in range(40)), 90))


def is_ready(name):
    try:
        return status(name).get("ready")
    except Exception:
        return False


def wrong_children():
    sizes = {f"bulk-{i}": (child_size(f"bulk-{i}"), str(i + 100)) for i in range(40)}
    return {name: pair for name, pair in sizes.items() if pair[0] != pair[1]}


def rises(name, ticks):
    return eventually(lambda: status(name).get("ticks", 0) > ticks + 2)


def main():
    attempt("definitions", prepare)
    operator = Operator(operator_registry(), namespaces=[NAMESPACE], peering_name="trial", priority=10)
    ordinary_life()
    peering()
    crash()
    delete("ticking")
    attempt("daemon ends", lambda: eventually(lambda: "ticking" in seen["ended"]))
    attempt("operator stops", operator.stop)
    second = Operator(operator_registry(), namespaces=[NAMESPACE], peering_name="trial", priority=10)
    attempt("resume handler", lambda: eventually(lambda: {"after", "flaky", "paused"} <= seen["resumed"]))
    for name in ("after", "flaky", "paused"):
        delete(name)
    attempt("all gone", lambda: eventually(lambda: not widgets()))
    attempt("second operator stops", second.stop)
    finish()


main()
