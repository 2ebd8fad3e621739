import type { Conversations, Request } from '../conversation.ts';

/** Admission of ResourceQuota. There is no controller: the status, which has the limits and the usage, is set by requests. */
const merge = { 'content-type': 'application/merge-patch+json' };
const root = '/api/v1/namespaces/NS';
const quotas = `${root}/resourcequotas`;

type Amounts = Readonly<Record<string, string>>;

const quota = (name: string, hard: Amounts, more: object = {}): Request => [
  'POST',
  quotas,
  { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name }, spec: { hard, ...more } },
];
const status = (name: string, hard: Amounts, used: Amounts): Request => [
  'PATCH',
  `${quotas}/${name}/status`,
  { status: { hard, used } },
  merge,
];
/** A quota whose status is complete. Waits until it is admission's state, too. */
const ready = (name: string, hard: Amounts, used: Amounts, more: object = {}) => [
  quota(name, hard, more),
  status(name, hard, used),
  { until: `${quotas}/${name}`, holds: settled() },
];
/** Holds some time after the first request. */
function settled(): () => boolean {
  let since: number | undefined;
  return () => {
    since ??= Date.now();
    return Date.now() - since > 100;
  };
}
const get = (name: string): Request => ['GET', `${quotas}/${name}`];
const configMap = (name: string, query = ''): Request => [
  'POST',
  `${root}/configmaps${query}`,
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } },
];
const account: Request = [
  'POST',
  `${root}/serviceaccounts`,
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'a' } },
];
const container = (requests: Amounts = {}, limits: Amounts = {}, name = 'c') => ({
  name,
  image: 'i',
  resources: { requests, limits },
});
const pod = (name: string, containers: readonly object[], spec: object = {}, metadata: object = {}): Request => [
  'POST',
  `${root}/pods`,
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers, serviceAccountName: 'a', automountServiceAccountToken: false, ...spec },
  },
];
const service = (name: string, spec: object): Request => [
  'POST',
  `${root}/services`,
  { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } },
];
const claim = (name: string, storage: string, spec: object = {}): Request => [
  'POST',
  `${root}/persistentvolumeclaims`,
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...spec },
  },
];
const resourceClaim = (name: string, request: object): Request => [
  'POST',
  '/apis/resource.k8s.io/v1/namespaces/NS/resourceclaims',
  {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: { name },
    spec: { devices: { requests: [{ name: 'r', ...request }] } },
  },
];

const counts = { configmaps: '2', 'count/secrets': '1', 'count/deployments.apps': '1', 'count/leases.coordination.k8s.io': '0' };
const compute = { 'requests.cpu': '1', 'limits.memory': '1Gi', pods: '5' };

const conversations: Conversations = {
  counts: [
    ...ready('counts', counts, {
      configmaps: '0',
      'count/secrets': '0',
      'count/deployments.apps': '0',
      'count/leases.coordination.k8s.io': '0',
    }),
    configMap('a'),
    configMap('b', '?dryRun=All'),
    configMap('b'),
    configMap('c'),
    configMap('c', '?dryRun=All'),
    configMap(''),
    ['PATCH', `${root}/configmaps/a`, { data: { k: 'v' } }, merge],
    ['DELETE', `${root}/configmaps/a`],
    get('counts'),
    [
      'POST',
      '/apis/coordination.k8s.io/v1/namespaces/NS/leases',
      { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'l' } },
    ],
    ['POST', `${root}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }],
    ['POST', `${root}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 't' } }],
    get('counts'),
  ],
  unknown: [
    quota('q', { configmaps: '1', secrets: '1', 'count/configmaps': '5' }),
    { until: `${quotas}/q`, holds: settled() },
    configMap('no-status'),
    status('q', { configmaps: '1', secrets: '1', 'count/configmaps': '5' }, { secrets: '0' }),
    { until: `${quotas}/q`, holds: settled() },
    configMap('no-usage'),
    ['POST', `${root}/secrets`, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }],
    get('q'),
  ],
  compute: [
    account,
    ...ready('compute', compute, { 'requests.cpu': '0', 'limits.memory': '0', pods: '0' }),
    pod('missing', [container(), container({ cpu: '1m' }, {}, 'd'), container({}, { memory: '1' }, 'b')]),
    pod('missing-init', [container({ cpu: '1m' }, { memory: '1Mi' })], { initContainers: [container({}, {}, 'init')] }),
    pod('a', [container({ cpu: '300m' }, { memory: '200Mi' }), container({ cpu: '200m' }, { memory: '100Mi' }, 'd')]),
    get('compute'),
    pod('b', [container({ cpu: '501m' }, { memory: '900Mi' })]),
    pod('c', [container({ cpu: '0.5' }, { memory: '128M' })], {
      initContainers: [container({ cpu: '100m' }, { memory: '600Mi' }, 'init')],
    }),
    get('compute'),
    pod('d', [container({ cpu: '1m' }, { memory: '1Mi' })]),
    ['PATCH', `${root}/pods/a`, { spec: { activeDeadlineSeconds: 10 } }, merge],
    get('compute'),
    pod('pod-level', [container()], { resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi', cpu: '1' } } }),
  ],
  resize: [
    account,
    ...ready('compute', compute, { 'requests.cpu': '0', 'limits.memory': '0', pods: '0' }),
    pod('a', [container({ cpu: '300m' }, { memory: '200Mi' })]),
    [
      'PATCH',
      `${root}/pods/a/resize`,
      { spec: { containers: [container({ cpu: '400m' }, { memory: '200Mi' })] } },
      { 'content-type': 'application/strategic-merge-patch+json' },
    ],
    get('compute'),
    [
      'PATCH',
      `${root}/pods/a/resize`,
      { spec: { containers: [container({ cpu: '1001m' }, { memory: '200Mi' })] } },
      { 'content-type': 'application/strategic-merge-patch+json' },
    ],
    [
      'PATCH',
      `${root}/pods/a/resize`,
      { spec: { containers: [container({ cpu: '100m' }, { memory: '200Mi' })] } },
      { 'content-type': 'application/strategic-merge-patch+json' },
    ],
    get('compute'),
  ],
  scopes: [
    account,
    ...ready('best-effort', { pods: '1' }, { pods: '1' }, { scopes: ['BestEffort'] }),
    ...ready('not-best-effort', { 'requests.cpu': '1' }, { 'requests.cpu': '0' }, { scopes: ['NotBestEffort'] }),
    ...ready('terminating', { pods: '1' }, { pods: '0' }, { scopes: ['Terminating'] }),
    ...ready(
      'critical',
      { pods: '0' },
      { pods: '0' },
      {
        scopeSelector: {
          matchExpressions: [
            { scopeName: 'PriorityClass', operator: 'In', values: ['system-cluster-critical', 'system-node-critical'] },
          ],
        },
      },
    ),
    ...ready(
      'affinity',
      { pods: '0' },
      { pods: '0' },
      { scopeSelector: { matchExpressions: [{ scopeName: 'CrossNamespacePodAffinity', operator: 'Exists' }] } },
    ),
    pod('best-effort', [container()]),
    pod('no-cpu', [container({ memory: '1Mi' })]),
    pod('cpu', [container({ cpu: '1m' })]),
    pod('deadline', [container({ cpu: '1m' })], { activeDeadlineSeconds: 10 }),
    pod('deadline-2', [container({ cpu: '1m' })], { activeDeadlineSeconds: 10 }),
    ['PATCH', `${root}/pods/cpu`, { spec: { activeDeadlineSeconds: 10 } }, merge],
    pod('critical', [container({ cpu: '1m' })], { priorityClassName: 'system-node-critical' }),
    pod('affinity', [container({ cpu: '1m' })], {
      affinity: {
        podAntiAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 1, podAffinityTerm: { topologyKey: 'zone', namespaces: ['other'] } },
          ],
        },
      },
    }),
    get('not-best-effort'),
    get('terminating'),
  ],
  extended: [
    account,
    ...ready(
      'extended',
      {
        'requests.example.com/gpu': '2',
        'hugepages-2Mi': '4Mi',
        'requests.hugepages-1Gi': '1Gi',
        'requests.ephemeral-storage': '1G',
        'limits.ephemeral-storage': '1G',
      },
      {
        'requests.example.com/gpu': '1',
        'hugepages-2Mi': '0',
        'requests.hugepages-1Gi': '0',
        'requests.ephemeral-storage': '0',
        'limits.ephemeral-storage': '0',
      },
    ),
    pod('a', [
      container({ cpu: '1', memory: '1Mi' }, { 'example.com/gpu': '2', 'hugepages-2Mi': '6Mi', 'ephemeral-storage': '2G' }),
    ]),
    pod('b', [
      container({ cpu: '1', memory: '1Mi' }, { 'example.com/gpu': '1', 'hugepages-2Mi': '2Mi', 'ephemeral-storage': '2M' }),
    ]),
    get('extended'),
  ],
  services: [
    ...ready(
      'services',
      { services: '3', 'services.nodeports': '2', 'services.loadbalancers': '1' },
      { services: '0', 'services.nodeports': '0', 'services.loadbalancers': '0' },
    ),
    service('a', { clusterIP: '10.0.0.211' }),
    ['PATCH', `${root}/services/a`, { spec: { type: 'NodePort', ports: [{ port: 80, nodePort: 32711 }] } }, merge],
    get('services'),
    ['PATCH', `${root}/services/a`, { spec: { type: 'ClusterIP' } }, merge],
    service('b', { type: 'LoadBalancer', clusterIP: '10.0.0.212', allocateLoadBalancerNodePorts: false }),
    service('c', { type: 'LoadBalancer' }),
    service('d', {
      type: 'NodePort',
      ports: [
        { name: 'a', port: 1 },
        { name: 'b', port: 2 },
      ],
    }),
    get('services'),
    // Other conversations may use the addresses again.
    ['DELETE', `${root}/services/a`],
    ['DELETE', `${root}/services/b`],
  ],
  claims: [
    ...ready(
      'claims',
      {
        persistentvolumeclaims: '3',
        'requests.storage': '10Gi',
        'gold.storageclass.storage.k8s.io/requests.storage': '5Gi',
        'bronze.storageclass.storage.k8s.io/persistentvolumeclaims': '0',
      },
      {
        persistentvolumeclaims: '0',
        'requests.storage': '0',
        'gold.storageclass.storage.k8s.io/requests.storage': '0',
        'bronze.storageclass.storage.k8s.io/persistentvolumeclaims': '0',
      },
    ),
    claim('a', '4Gi', { storageClassName: 'gold' }),
    claim('b', '2Gi', { storageClassName: 'gold' }),
    claim('c', '7Gi', { storageClassName: 'silver' }),
    claim('d', '1Gi', { storageClassName: 'bronze' }),
    claim('e', '1.5', { storageClassName: '' }),
    [
      'PATCH',
      `${root}/persistentvolumeclaims/a/status`,
      { status: { phase: 'Bound', capacity: { storage: '4Gi' }, allocatedResources: { storage: '20Gi' } } },
      merge,
    ],
    get('claims'),
  ],
  'attributes-classes': [
    ...ready(
      'attributes',
      { persistentvolumeclaims: '1', 'requests.storage': '1Gi' },
      { persistentvolumeclaims: '0', 'requests.storage': '0' },
      { scopeSelector: { matchExpressions: [{ scopeName: 'VolumeAttributesClass', operator: 'In', values: ['fast'] }] } },
    ),
    claim('slow', '4Gi', { volumeAttributesClassName: 'slow' }),
    claim('none', '4Gi'),
    claim('fast', '4Gi', { volumeAttributesClassName: 'fast' }),
    claim('small', '1Gi', { volumeAttributesClassName: 'fast' }),
    get('attributes'),
  ],
  devices: [
    ...ready(
      'devices',
      { 'count/resourceclaims.resource.k8s.io': '5', 'gpu.deviceclass.resource.k8s.io/devices': '3' },
      { 'count/resourceclaims.resource.k8s.io': '0', 'gpu.deviceclass.resource.k8s.io/devices': '0' },
    ),
    resourceClaim('a', { exactly: { deviceClassName: 'gpu', count: 2 } }),
    resourceClaim('b', { exactly: { deviceClassName: 'gpu', allocationMode: 'All' } }),
    resourceClaim('c', {
      firstAvailable: [
        { name: 'x', deviceClassName: 'gpu', count: 1 },
        { name: 'y', deviceClassName: 'gpu', count: 2 },
      ],
    }),
    resourceClaim('d', {
      firstAvailable: [
        { name: 'x', deviceClassName: 'gpu', count: 1 },
        { name: 'y', deviceClassName: 'other', count: 9 },
      ],
    }),
    get('devices'),
  ],
  'extended-devices': [
    account,
    [
      'POST',
      '/apis/resource.k8s.io/v1/deviceclasses',
      {
        apiVersion: 'resource.k8s.io/v1',
        kind: 'DeviceClass',
        metadata: { name: 'quota-gpu' },
        spec: { extendedResourceName: 'quota.example.com/gpu' },
      },
    ],
    ...ready(
      'devices',
      { 'requests.quota.example.com/gpu': '3', 'requests.deviceclass.resource.kubernetes.io/quota-gpu': '5' },
      { 'requests.quota.example.com/gpu': '0', 'requests.deviceclass.resource.kubernetes.io/quota-gpu': '0' },
    ),
    resourceClaim('a', { exactly: { deviceClassName: 'quota-gpu', count: 2 } }),
    resourceClaim('b', { exactly: { deviceClassName: 'quota-gpu', count: 2 } }),
    resourceClaim('c', { exactly: { deviceClassName: 'other', count: 9 } }),
    pod('a', [container({}, { 'quota.example.com/gpu': '2' })]),
    pod('b', [container({}, { 'quota.example.com/gpu': '1' })]),
    get('devices'),
    ['DELETE', '/apis/resource.k8s.io/v1/deviceclasses/quota-gpu'],
  ],
  several: [
    ...ready('a', { configmaps: '5' }, { configmaps: '0' }),
    ...ready('b', { 'count/configmaps': '1' }, { 'count/configmaps': '0' }),
    configMap('a'),
    configMap('b'),
    get('a'),
    get('b'),
    quota('c', { resourcequotas: '9' }),
  ],
};

export default conversations;
