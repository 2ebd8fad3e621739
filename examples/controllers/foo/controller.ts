import {
  type ApiObject,
  Controller,
  controllerReference,
  EventRecorder,
  isControlledBy,
  isNotFound,
  KubeClient,
  LeaderElector,
  Metrics,
  type ReconcileContext,
  type ReconcileRequest,
  SharedInformers,
  serveEndpoints,
} from '@tsukube/client';

/** A Foo keeps a Deployment with the given name and number of replicas. */
interface Foo extends ApiObject {
  spec: { deploymentName: string; replicas: number };
  status?: { availableReplicas: number };
}

const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['deploymentName', 'replicas'],
      properties: {
        deploymentName: { type: 'string', minLength: 1 },
        replicas: { type: 'integer', minimum: 1, maximum: 10 },
      },
    },
    status: { type: 'object', properties: { availableReplicas: { type: 'integer' } } },
  },
};

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'foos.samplecontroller.k8s.io', annotations: { 'api-approved.kubernetes.io': 'unapproved, a sample' } },
  spec: {
    group: 'samplecontroller.k8s.io',
    scope: 'Namespaced' as const,
    names: { kind: 'Foo', plural: 'foos', singular: 'foo' },
    versions: [
      { name: 'v1alpha1', served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } },
    ],
  },
};

const name = 'foo-controller';
const client = await KubeClient.load({ rateLimit: { qps: 50, burst: 100 } });
const foos = client.resource<Foo>('samplecontroller.k8s.io/v1alpha1/foos');
const deployments = client.resource('apps/v1/deployments');
const events = new EventRecorder(client, { controller: name, onError: console.error });

const informers = new SharedInformers();
const fooInformer = informers.for(foos);
const deploymentInformer = informers.for(deployments);

async function reconcile({ key, namespace }: ReconcileRequest, { store, signal }: ReconcileContext<Foo>): Promise<void> {
  const foo = store.get(key);
  if (foo === undefined) return;
  const { deploymentName, replicas } = foo.spec;
  const existing = deploymentInformer.store.get(`${namespace}/${deploymentName}`);
  if (existing && !isControlledBy(existing, foo)) {
    const note = `Resource "${deploymentName}" already exists and is not managed by Foo`;
    events.record(foo, { type: 'Warning', reason: 'ErrResourceExists', action: 'Sync', note });
    throw new Error(note);
  }
  const labels = { app: 'nginx', controller: foo.metadata.name as string };
  const wanted = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: deploymentName, ownerReferences: [controllerReference(foo)] },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'nginx', image: 'nginx:latest' }] } },
    },
  };
  const deployment = await deployments.in(namespace).apply(wanted, { fieldManager: name, force: true, signal });
  const availableReplicas = deployment.status?.availableReplicas ?? 0;
  if (foo.status?.availableReplicas === availableReplicas) return;
  const status = foos.in(namespace).subresource(foo.metadata.name as string, 'status');
  await status.patch({ type: 'merge', patch: { status: { availableReplicas } } }, { fieldManager: name, signal });
  events.record(foo, { type: 'Normal', reason: 'Synced', action: 'Sync', note: 'Foo synced successfully' });
}

const metrics = new Metrics();
const controller = new Controller({
  name,
  for: fooInformer,
  owns: [deploymentInformer],
  concurrency: 2,
  metrics,
  reconcile,
  onError: (error, { key }) => console.log(`${key}: ${(error as Error).message}`),
});

const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => end.abort());

await client.resource('apiextensions.k8s.io/v1/customresourcedefinitions').apply(definition, { fieldManager: name, force: true });
for (;;) {
  const list = await foos.list({ limit: 1 }).catch((error) => (isNotFound(error) ? undefined : Promise.reject(error)));
  if (list) break;
  await new Promise((resolve) => setTimeout(resolve, 100));
}

const port = Number(process.env.PORT ?? 8080);
const endpoints = await serveEndpoints({ port, host: '127.0.0.1', metrics, ready: { informers: () => informers.isSynced } });
const election = new LeaderElector(client, { namespace: client.namespace, name, identity: `${name}-${process.pid}` });
const watching = informers.run(end.signal);
console.log(`serving on http://127.0.0.1:${endpoints.port}`);
// Without the lease the process ends with an error, and is started again.
await election.run(end.signal, (signal) => controller.run(signal));
await watching;
await events.flush();
await endpoints.close();
client.close();
