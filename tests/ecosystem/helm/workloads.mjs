import { createHash } from 'node:crypto';

/**
 * Simulates controllers and kubelet: Jobs complete, Pods succeed, Deployments become available, claims
 * are bound. Helm waits for these.
 *
 * @typedef {ReturnType<typeof import('../harness/kube-request.mjs').kubeRequest>} Request
 * @typedef {any} KubeObject  a built-in object, as JSON
 */

const intervalMs = 200;

/** @param {Request} request @returns {() => Promise<void>} stops it */
export function simulateWorkloads(request) {
  let running = true;
  const loop = async () => {
    while (running) {
      await Promise.all(Object.entries(kinds).map(([path, advance]) => advanceAll(request, path, advance))).catch(
        () => undefined,
      );
      await new Promise((resolve) => setTimeout(resolve, intervalMs));
    }
  };
  const ended = loop();
  return () => {
    running = false;
    return ended;
  };
}

/** @param {Request} request @param {string} path @param {(object: KubeObject, request: Request) => Promise<object | undefined>} advance */
async function advanceAll(request, path, advance) {
  const { body } = await request('GET', path);
  for (const object of body.items ?? []) {
    const status = await advance(object, request);
    if (status === undefined) continue;
    const name = `${path.replace(/[^/]+$/, '')}namespaces/${object.metadata.namespace}/${path.split('/').pop()}/${object.metadata.name}`;
    await request('PATCH', `${name}/status`, { status }, 'application/merge-patch+json');
  }
}

/** @param {string} type */
const condition = (type) => ({ type, status: 'True', lastTransitionTime: now() });
const now = () => `${new Date().toISOString().slice(0, 19)}Z`;

/** @type {Readonly<Record<string, (object: KubeObject, request: Request) => Promise<object | undefined>>>} */
const kinds = {
  '/apis/batch/v1/jobs': async ({ status }) => {
    if (status.succeeded !== undefined) return undefined;
    const conditions = [condition('SuccessCriteriaMet'), condition('Complete')];
    return { startTime: now(), completionTime: now(), succeeded: 1, conditions };
  },
  '/api/v1/pods': async ({ status }) => (status.phase === 'Succeeded' ? undefined : { phase: 'Succeeded' }),
  '/api/v1/persistentvolumeclaims': async ({ status }) => (status.phase === 'Bound' ? undefined : { phase: 'Bound' }),
  '/apis/apps/v1/deployments': async (deployment, request) => {
    const { metadata, spec, status } = deployment;
    if (status.observedGeneration === metadata.generation) return undefined;
    await rollOut(deployment, request);
    const { replicas } = spec;
    const counts = { replicas, updatedReplicas: replicas, readyReplicas: replicas, availableReplicas: replicas };
    const conditions = [
      { ...condition('Available'), reason: 'MinimumReplicasAvailable' },
      { ...condition('Progressing'), reason: 'NewReplicaSetAvailable' },
    ];
    return { ...counts, observedGeneration: metadata.generation, conditions };
  },
};

/** The ReplicaSet of the current template, which Helm 3 uses to check a rollout. @param {KubeObject} deployment @param {Request} request */
async function rollOut({ metadata, spec }, request) {
  const hash = createHash('sha256').update(JSON.stringify(spec.template)).digest('hex').slice(0, 8);
  const labels = { ...spec.template.metadata.labels, 'pod-template-hash': hash };
  const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: metadata.name, uid: metadata.uid, controller: true };
  const { replicas } = spec;
  const set = {
    metadata: { name: `${metadata.name}-${hash}`, labels, ownerReferences: [owner] },
    spec: { replicas, selector: { matchLabels: labels }, template: { ...spec.template, metadata: { labels } } },
  };
  const path = `/apis/apps/v1/namespaces/${metadata.namespace}/replicasets`;
  const { status: code } = await request('POST', path, set);
  if (code === 409)
    await request('PATCH', `${path}/${set.metadata.name}`, { spec: { replicas } }, 'application/merge-patch+json');
  const { body } = await request('GET', `${path}/${set.metadata.name}`);
  const status = { replicas, readyReplicas: replicas, availableReplicas: replicas, observedGeneration: body.metadata.generation };
  await request('PATCH', `${path}/${set.metadata.name}/status`, { status }, 'application/merge-patch+json');
}
