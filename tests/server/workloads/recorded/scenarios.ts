import type { Any } from '../../../support/client.ts';
import { behaviour, template } from '../simulated-cluster.ts';

/** One request, and what must hold before the state is compared. */
export interface Step {
  readonly does: string;
  readonly method: 'DELETE' | 'PATCH' | 'POST';
  /** Below the namespace, with the API group: `/apis/apps/v1/…/deployments`. */
  readonly path: string;
  readonly body?: object;
  /** Checked with the snapshot; then the state must not change for a while. */
  readonly until: (state: Any) => boolean;
}

const labels = { app: 'web' };
const deployments = '/apis/apps/v1/NAMESPACE/deployments';
const statefulSets = '/apis/apps/v1/NAMESPACE/statefulsets';
const daemonSets = '/apis/apps/v1/NAMESPACE/daemonsets';
const jobs = '/apis/batch/v1/NAMESPACE/jobs';

function workload(kind: string, spec: object) {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web' },
    spec: { selector: { matchLabels: labels }, template: template(labels), ...spec },
  };
}

function job(name: string, spec: object, annotations: Record<string, string> = {}) {
  const pod = template({}, 'nginx:1', annotations);
  const whole = { ...spec, template: { ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec: whole };
}

const image = (tag: string) => ({ spec: { template: template(labels, `nginx:${tag}`) } });

/** Whether a Deployment has these numbers of updated and available replicas, and no others. */
const rolledOut = (replicas: number) => (state: Any) => {
  const { status, metadata } = state.deployments[0];
  const counts = [status.replicas, status.updatedReplicas, status.availableReplicas, status.readyReplicas];
  const isClean = status.terminatingReplicas === 0 && status.observedGeneration === metadata.generation;
  return isClean && counts.every((count) => count === replicas) && count(state.pods) === replicas;
};

function count(items: Any[] = []): number {
  return items.reduce((sum: number, item: Any) => sum + item.count, 0);
}

const isFinished = (state: Any) =>
  state.jobs[0].status.conditions?.some(({ type }: Any) => type === 'Complete' || type === 'Failed');

export const scenarios: Readonly<Record<string, readonly Step[]>> = {
  'a Deployment rolls out, rolls back and scales': [
    { does: 'create', method: 'POST', path: deployments, body: workload('Deployment', { replicas: 3 }), until: rolledOut(3) },
    { does: 'update', method: 'PATCH', path: `${deployments}/web`, body: image('2'), until: rolledOut(3) },
    { does: 'roll back', method: 'PATCH', path: `${deployments}/web`, body: image('1'), until: rolledOut(3) },
    { does: 'scale', method: 'PATCH', path: `${deployments}/web/scale`, body: { spec: { replicas: 5 } }, until: rolledOut(5) },
  ],
  'a Deployment is paused and resumed': [
    { does: 'create', method: 'POST', path: deployments, body: workload('Deployment', { replicas: 2 }), until: rolledOut(2) },
    {
      does: 'pause',
      method: 'PATCH',
      path: `${deployments}/web`,
      body: { spec: { paused: true, ...image('2').spec } },
      until: ({ deployments: [deployment] }) =>
        deployment.status.conditions.some(({ reason }: Any) => reason === 'DeploymentPaused'),
    },
    { does: 'resume', method: 'PATCH', path: `${deployments}/web`, body: { spec: { paused: false } }, until: rolledOut(2) },
  ],
  'a Deployment recreates its pods': [
    {
      does: 'create',
      method: 'POST',
      path: deployments,
      body: workload('Deployment', { replicas: 2, strategy: { type: 'Recreate' } }),
      until: rolledOut(2),
    },
    { does: 'update', method: 'PATCH', path: `${deployments}/web`, body: image('2'), until: rolledOut(2) },
  ],
  'a Deployment whose pods do not start': [
    {
      does: 'create',
      method: 'POST',
      path: deployments,
      body: workload('Deployment', {
        replicas: 2,
        progressDeadlineSeconds: 2,
        template: template(labels, 'nginx:1', behaviour({ pending: 'ImagePullBackOff' })),
      }),
      until: ({ deployments: [deployment] }) =>
        deployment.status.conditions.some(({ reason }: Any) => reason === 'ProgressDeadlineExceeded'),
    },
  ],
  'a StatefulSet grows, updates and shrinks': [
    {
      does: 'create',
      method: 'POST',
      path: statefulSets,
      body: workload('StatefulSet', { replicas: 3, serviceName: 'web' }),
      until: ({ statefulsets: [set] }) => set.status.availableReplicas === 3,
    },
    {
      does: 'update',
      method: 'PATCH',
      path: `${statefulSets}/web`,
      body: image('2'),
      until: ({ statefulsets: [set] }) =>
        set.status.availableReplicas === 3 &&
        set.status.currentRevision === set.status.updateRevision &&
        set.status.updatedReplicas === 3,
    },
    {
      does: 'shrink',
      method: 'PATCH',
      path: `${statefulSets}/web`,
      body: { spec: { replicas: 1 } },
      until: ({ statefulsets: [set], pods }) => set.status.replicas === 1 && count(pods) === 1,
    },
  ],
  'a DaemonSet updates': [
    {
      does: 'create',
      method: 'POST',
      path: daemonSets,
      body: { ...workload('DaemonSet', {}), metadata: { name: 'agent' } },
      until: ({ daemonsets: [set] }) => set.status.numberAvailable === 3,
    },
    {
      does: 'update',
      method: 'PATCH',
      path: `${daemonSets}/agent`,
      body: image('2'),
      until: ({ daemonsets: [set], pods }) =>
        set.status.numberAvailable === 3 && set.status.updatedNumberScheduled === 3 && count(pods) === 3,
    },
  ],
  'a Job completes': [
    { does: 'create', method: 'POST', path: jobs, body: job('pi', { completions: 3, parallelism: 2 }), until: isFinished },
  ],
  'an indexed Job completes': [
    {
      does: 'create',
      method: 'POST',
      path: jobs,
      body: job('pi', { completions: 3, parallelism: 3, completionMode: 'Indexed' }),
      until: isFinished,
    },
  ],
  'a Job fails': [
    {
      does: 'create',
      method: 'POST',
      path: jobs,
      body: job('bad', { backoffLimit: 0 }, behaviour({ 'exit-code': 3 })),
      until: isFinished,
    },
  ],
  'a Job fails by its policy': [
    {
      does: 'create',
      method: 'POST',
      path: jobs,
      body: job(
        'bad',
        { backoffLimit: 3, podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }] } },
        behaviour({ 'exit-code': 42 }),
      ),
      until: isFinished,
    },
  ],
  'a Job is suspended and resumed': [
    {
      does: 'create',
      method: 'POST',
      path: jobs,
      body: job('pi', { suspend: true }),
      until: ({ jobs: [found] }) => found.status.conditions?.length === 1,
    },
    { does: 'resume', method: 'PATCH', path: `${jobs}/pi`, body: { spec: { suspend: false } }, until: isFinished },
  ],
  'services and their endpoints': [
    {
      does: 'create pods',
      method: 'POST',
      path: deployments,
      body: workload('Deployment', {
        replicas: 1,
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'web', image: 'nginx:1', ports: [{ name: 'http', containerPort: 8080 }] }] },
        },
      }),
      until: rolledOut(1),
    },
    {
      does: 'create a service',
      method: 'POST',
      path: '/api/v1/NAMESPACE/services',
      body: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'web', labels: { team: 'a' } },
        spec: {
          selector: labels,
          ports: [
            { name: 'a', port: 80, targetPort: 'http' },
            { name: 'b', port: 81, targetPort: 9090 },
          ],
        },
      },
      until: ({ endpointslices = [], endpoints = [] }) => endpointslices.length === 1 && endpoints.length === 1,
    },
    {
      does: 'create a headless service',
      method: 'POST',
      path: '/api/v1/NAMESPACE/services',
      body: { apiVersion: 'v1', kind: 'Service', metadata: { name: 'headless' }, spec: { clusterIP: 'None', selector: labels } },
      until: ({ endpointslices = [], endpoints = [] }) => endpointslices.length === 2 && endpoints.length === 2,
    },
    {
      does: 'create a service without pods',
      method: 'POST',
      path: '/api/v1/NAMESPACE/services',
      body: {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'none' },
        spec: { selector: { app: 'none' }, ports: [{ port: 80 }] },
      },
      until: ({ endpointslices = [], endpoints = [] }) => endpointslices.length === 3 && endpoints.length === 3,
    },
  ],
};
