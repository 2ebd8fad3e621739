"""kr8s: synchronous and asynchronous objects, selectors, patches, waits, watches and new classes; with a restart."""

import asyncio

import kr8s
from kr8s.asyncio.objects import new_class as new_async_class
from kr8s.objects import ConfigMap, Deployment, Namespace, Pod, Service, ServiceAccount, new_class, object_from_spec
from trial import attempt, check, eventually, finish, restart_server

NAMESPACE = "kr8s-trial"
api = kr8s.api()


def config_map(name, **data):
    return ConfigMap({"metadata": {"name": name, "namespace": NAMESPACE, "labels": {"kr8s": "yes"}}, "data": data})


def objects():
    Namespace({"metadata": {"name": NAMESPACE}}).create()
    account = ServiceAccount({"metadata": {"name": "default", "namespace": NAMESPACE}})
    if not eventually(account.exists, 2):
        account.create()
    attempt("version", lambda: api.version()["major"] == "1")
    attempt("api resources", lambda: any(r["kind"] == "Deployment" for r in api.api_resources()))
    attempt("whoami", lambda: kr8s.whoami())
    one = config_map("one", a="1")
    attempt("create", lambda: one.create() is None and one.exists())
    attempt("merge patch", lambda: one.patch({"data": {"b": "2"}}) is None and one.raw["data"] == {"a": "1", "b": "2"})
    attempt("JSON patch", lambda: one.patch([{"op": "remove", "path": "/data/a"}], type="json") is None and one.raw["data"] == {"b": "2"})
    attempt("label and annotate", lambda: one.label(tier="x") is None and one.annotate(note="y") is None and one.labels["tier"] == "x")
    attempt("get by selector", lambda: [o.name for o in kr8s.get("configmaps", namespace=NAMESPACE, label_selector={"tier": "x"})] == ["one"])
    attempt("get by kind, group and version", lambda: list(kr8s.get("deployments.apps", namespace=NAMESPACE)) == [])
    attempt("short name", lambda: [o.name for o in kr8s.get("cm", "one", namespace=NAMESPACE)] == ["one"])
    attempt("refresh of a deleted object", lambda: deleted(one))
    attempt("pod from gen", lambda: pod().exists())
    attempt("deployment scale", scale)
    attempt("server-side dry run of an invalid object", invalid)


def pod():
    made = Pod.gen(name="web", namespace=NAMESPACE, image="nginx:latest", ports=[80])
    made.create()
    return made


def scale():
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "c", "image": "nginx"}]}}
    spec = {"replicas": 1, "selector": {"matchLabels": labels}, "template": template}
    web = Deployment({"metadata": {"name": "web", "namespace": NAMESPACE}, "spec": spec})
    web.create()
    web.patch({"spec": {"replicas": 3}}, subresource="scale")
    web.refresh()
    return web.replicas == 3


def invalid():
    try:
        Service({"metadata": {"name": "S", "namespace": NAMESPACE}, "spec": {"ports": [{"port": 1}]}}).create()
    except kr8s.ServerError as error:
        return error.response.status_code == 422
    return False


def deleted(one):
    one.delete()
    eventually(lambda: not one.exists())
    try:
        one.refresh()
    except kr8s.NotFoundError:
        return True
    return False


def custom_resources():
    schema = {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}}
    version = {"name": "v1alpha1", "served": True, "storage": True, "schema": schema, "subresources": {"status": {}}}
    names = {"plural": "shirts", "singular": "shirt", "kind": "Shirt", "shortNames": ["sh"]}
    spec = {"group": "trial.kr8s", "scope": "Namespaced", "names": names, "versions": [version]}
    manifest = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "shirts.trial.kr8s"}, "spec": spec}
    definition = object_from_spec(manifest)
    definition.create()
    eventually(lambda: conditions_of(definition))  # kr8s does not expect `conditions: null`
    attempt("wait for a condition", lambda: definition.wait("condition=Established", timeout=20) is None)
    shirts = new_class(kind="Shirt", version="trial.kr8s/v1alpha1", namespaced=True)
    attempt("custom class", lambda: eventually(lambda: made(shirts)))
    attempt("status subresource", lambda: shirts.get("red", namespace=NAMESPACE).patch({"status": {"washed": True}}, subresource="status") is None)
    attempt("status is read", lambda: shirts.get("red", namespace=NAMESPACE).status.washed)
    attempt("lookup by short name", lambda: [o.name for o in kr8s.get("sh", namespace=NAMESPACE)] == ["red"])


def conditions_of(definition):
    definition.refresh()
    return definition.raw["status"].get("conditions")


def made(shirts):
    try:
        shirts({"metadata": {"name": "red", "namespace": NAMESPACE}, "spec": {"colour": "red"}}).create()
        return True
    except kr8s.ServerError:
        return False


async def watching():
    seen = {}
    asynchronous = await kr8s.asyncio.api()
    maps = new_async_class(kind="ConfigMap", version="v1", namespaced=True)

    async def follow():
        while True:
            try:
                async for event, item in asynchronous.watch("configmaps", namespace=NAMESPACE, label_selector={"kr8s": "yes"}):
                    if event == "DELETED":
                        seen.pop(item.name, None)
                    else:
                        seen[item.name] = item.raw["data"]["n"]
            except Exception:
                await asyncio.sleep(0.3)

    async def write(name, value):
        item = await maps({"metadata": {"name": name, "namespace": NAMESPACE, "labels": {"kr8s": "yes"}}, "data": {"n": value}})
        await item.create()

    async def sees(count):
        for _ in range(300):
            if len(seen) == count:
                return True
            await asyncio.sleep(0.1)
        return False

    task = asyncio.create_task(follow())
    await asyncio.gather(*(write(f"before-{i}", str(i)) for i in range(20)))
    check("watch sees every create", await sees(20), f"{len(seen)} of 20")
    await asyncio.to_thread(restart_server)
    await asyncio.gather(*(write(f"after-{i}", str(i)) for i in range(20)))
    check("watch sees everything after the restart", await sees(40), f"{len(seen)} of 40")
    task.cancel()


def main():
    objects()
    custom_resources()
    asyncio.run(watching())
    finish()


main()
