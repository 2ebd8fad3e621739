/** @kubernetes/client-node: kubeconfig, every kind of patch, apply, watches, informers; the server restarts under them. */
import * as k8s from '@kubernetes/client-node';
import { check, eventually, finish, restartServer } from './trial.mjs';

const namespace = 'node-trial';
const config = new k8s.KubeConfig();
config.loadFromDefault();
const core = config.makeApiClient(k8s.CoreV1Api);
const apps = config.makeApiClient(k8s.AppsV1Api);
const objects = k8s.KubernetesObjectApi.makeApiClient(config);

const map = (/** @type {string} */ name, value = '1', labels = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels },
  data: { v: value },
});
const code = (/** @type {Promise<unknown>} */ promise) =>
  promise.then(
    () => 200,
    (error) => error.code,
  );
const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'x' }] } },
  },
};

async function typedApi() {
  await check('kubeconfig and version', async () => (await config.makeApiClient(k8s.VersionApi).getCode()).major === '1');
  await check('namespace', () => core.createNamespace({ body: { metadata: { name: namespace } } }));
  await check(
    'create',
    async () => (await apps.createNamespacedDeployment({ namespace, body: deployment })).spec?.replicas === 1,
  );
  await check(
    'create of what is there',
    async () => (await code(apps.createNamespacedDeployment({ namespace, body: deployment }))) === 409,
  );
  await check('missing object', async () => (await code(core.readNamespacedConfigMap({ name: 'none', namespace }))) === 404);
  await check('stale update', async () => {
    const stale = await apps.readNamespacedDeployment({ name: 'web', namespace });
    await patch(k8s.PatchStrategy.MergePatch, { metadata: { annotations: { a: '1' } } });
    return (await code(apps.replaceNamespacedDeployment({ name: 'web', namespace, body: stale }))) === 409;
  });
}

const patch = (/** @type {string} */ strategy, /** @type {unknown} */ body, extra = {}) =>
  apps.patchNamespacedDeployment({ name: 'web', namespace, body, ...extra }, k8s.setHeaderOptions('Content-Type', strategy));

async function patches() {
  const containers = async (/** @type {Promise<k8s.V1Deployment>} */ answer) =>
    (await answer).spec?.template.spec?.containers.length;
  const template = (/** @type {unknown} */ containers) => ({ spec: { template: { spec: { containers } } } });
  await check(
    'strategic merge patch',
    async () => (await containers(patch(k8s.PatchStrategy.StrategicMergePatch, template([{ name: 'side', image: 'y' }])))) === 2,
  );
  await check(
    'merge patch replaces lists',
    async () => (await containers(patch(k8s.PatchStrategy.MergePatch, template([{ name: 'web', image: 'z' }])))) === 1,
  );
  await check(
    'JSON patch',
    async () =>
      (await patch(k8s.PatchStrategy.JsonPatch, [{ op: 'replace', path: '/spec/replicas', value: 5 }])).spec?.replicas === 5,
  );
  const applied = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { ...deployment.spec, replicas: 6 },
  };
  await check(
    'apply conflict',
    async () => (await code(patch(k8s.PatchStrategy.ServerSideApply, applied, { fieldManager: 'one' }))) === 409,
  );
  await check(
    'forced apply',
    async () =>
      (await patch(k8s.PatchStrategy.ServerSideApply, applied, { fieldManager: 'one', force: true })).spec?.replicas === 6,
  );
  await check(
    'scale subresource',
    async () => (await apps.readNamespacedDeploymentScale({ name: 'web', namespace })).spec?.replicas === 6,
  );
}

async function objectApi() {
  await check('objects without a type', async () => (await objects.create(map('object'))).metadata?.uid);
  await check('apply of objects', async () => {
    const strategy = k8s.PatchStrategy.ServerSideApply;
    const answer = await objects.patch(map('object', '2'), undefined, undefined, 'two', true, strategy);
    return answer.data.v === '2';
  });
  await check('list of objects', async () =>
    (await objects.list('v1', 'ConfigMap', namespace)).items.some(({ metadata }) => metadata?.name === 'object'),
  );
  await check('custom resources', customResource);
  await check('delete', async () => (await objects.delete(map('object'))) && (await code(objects.read(map('object')))) === 404);
}

async function customResource() {
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { n: { type: 'integer', _default: 4 } } } },
    },
  };
  const names = { plural: 'shirts', singular: 'shirt', kind: 'Shirt' };
  const spec = {
    group: 'trial.node',
    scope: 'Namespaced',
    names,
    versions: [{ name: 'v1', served: true, storage: true, schema }],
  };
  await objects.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'shirts.trial.node' },
    spec,
  });
  const custom = config.makeApiClient(k8s.CustomObjectsApi);
  const target = { group: 'trial.node', version: 'v1', namespace, plural: 'shirts' };
  const body = { apiVersion: 'trial.node/v1', kind: 'Shirt', metadata: { name: 'red' }, spec: {} };
  await eventually(() => custom.createNamespacedCustomObject({ ...target, body }));
  return (await custom.getNamespacedCustomObject({ ...target, name: 'red' })).spec.n === 4;
}

async function watches() {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  const list = () => core.listNamespacedConfigMap({ namespace, labelSelector: 'watched=yes' });
  const informer = k8s.makeInformer(config, path, list, 'watched=yes');
  const seen = new Set();
  for (const event of /** @type {const} */ (['add', 'update', 'delete']))
    informer.on(event, ({ metadata }) => seen.add(`${event} ${metadata?.name}`));
  informer.on('error', () => setTimeout(() => informer.start().catch(() => undefined), 200));
  await informer.start();
  const write = (/** @type {number} */ index) =>
    core.createNamespacedConfigMap({ namespace, body: map(`watched-${index}`, '1', { watched: 'yes' }) });
  const held = () => informer.list(namespace).length;
  for (let index = 0; index < 30; index += 1) await write(index);
  await check('informer sees creates', () => eventually(() => held() === 30 && seen.has('add watched-29')));
  await check('events of a watch', () => events(path, () => write(99)));
  await restartServer();
  await check('writes after the restart', async () => {
    for (let index = 30; index < 60; index += 1) await eventually(async () => [200, 409].includes(await code(write(index))));
    for (let index = 0; index < 10; index += 1) await core.deleteNamespacedConfigMap({ name: `watched-${index}`, namespace });
    return true;
  });
  await check('informer converges after the restart', () => eventually(() => held() === 51 && seen.has('delete watched-9')));
  await informer.stop();
}

/** @param {string} path @param {() => Promise<unknown>} write */
async function events(path, write) {
  const { metadata } = await core.listNamespacedConfigMap({ namespace });
  const types = /** @type {string[]} */ ([]);
  const query = { resourceVersion: metadata?.resourceVersion, allowWatchBookmarks: true, timeoutSeconds: 3 };
  const ended = new Promise((resolve, reject) => {
    const onEnd = (/** @type {unknown} */ error) => (error ? reject(error) : resolve(undefined));
    new k8s.Watch(config).watch(path, query, (type) => types.push(type), onEnd).catch(reject);
  });
  await write();
  await ended;
  return types.includes('ADDED');
}

await typedApi();
await patches();
await objectApi();
await watches();
finish();
