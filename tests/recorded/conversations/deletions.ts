import type { Conversations, Request } from '../conversation.ts';

/** Some kinds return the object on delete, others a Status. */
const object = (apiVersion: string, kind: string, more: object = {}) => ({ apiVersion, kind, metadata: { name: 'NS' }, ...more });
const created = (path: string, body: object): Request[] => [
  ['POST', `${path}?fieldManager=m`, body],
  ['DELETE', `${path}/NS`],
];
const resource = '/apis/resource.k8s.io/v1',
  inNamespace = '/namespaces/NS',
  core = `/api/v1${inNamespace}`;
const claim = { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } };
const slice = { driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, nodeName: 'n', devices: [] };

const merge = { 'content-type': 'application/merge-patch+json' };

const conversations: Conversations = {
  devices: [
    ...created(`${resource}/deviceclasses`, object('resource.k8s.io/v1', 'DeviceClass', { spec: {} })),
    ...created(`${resource}${inNamespace}/resourceclaims`, object('resource.k8s.io/v1', 'ResourceClaim', { spec: claim })),
    ...created(
      `${resource}${inNamespace}/resourceclaimtemplates`,
      object('resource.k8s.io/v1', 'ResourceClaimTemplate', { spec: { spec: claim } }),
    ),
    ...created(`${resource}/resourceslices`, object('resource.k8s.io/v1', 'ResourceSlice', { spec: slice })),
  ],
  core: [
    ...created(`${core}/configmaps`, object('v1', 'ConfigMap')),
    ...created(`${core}/serviceaccounts`, object('v1', 'ServiceAccount')),
    ...created(`${core}/resourcequotas`, object('v1', 'ResourceQuota', { spec: {} })),
    ...created('/apis/storage.k8s.io/v1/csidrivers', object('storage.k8s.io/v1', 'CSIDriver', { spec: {} })),
    ...created('/apis/storage.k8s.io/v1/csinodes', object('storage.k8s.io/v1', 'CSINode', { spec: { drivers: [] } })),
    ...created('/apis/scheduling.k8s.io/v1/priorityclasses', object('scheduling.k8s.io/v1', 'PriorityClass', { value: 1 })),
  ],
  // Evictions, bindings and token requests count as create.
  terminating: [
    ['POST', `${core}/serviceaccounts?fieldManager=m`, object('v1', 'ServiceAccount')],
    ...['a', 'b'].map(
      (name): Request => [
        'POST',
        `${core}/pods?fieldManager=m`,
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name },
          spec: { serviceAccountName: 'NS', automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }] },
        },
      ],
    ),
    ['DELETE', '/api/v1/namespaces/NS'],
    { until: '/api/v1/namespaces/NS', holds: ({ status }) => status.phase === 'Terminating' },
    ['POST', `${core}/pods/a/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } }],
    ['POST', `${core}/pods/b/binding`, { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'b' }, target: { name: 'n' } }],
    ['POST', `${core}/bindings`, { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'b' }, target: { name: 'n' } }],
    ['POST', `${core}/serviceaccounts/NS/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }],
    ['PATCH', `${core}/serviceaccounts/NS?fieldManager=m`, { metadata: { labels: { a: 'b' } } }, merge],
  ],
  'no-namespace': [
    [
      'POST',
      '/api/v1/namespaces/NS-none/pods/a/eviction',
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'a' } },
    ],
    [
      'POST',
      '/api/v1/namespaces/NS-none/pods/a/binding',
      { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'a' }, target: { name: 'n' } },
    ],
    [
      'POST',
      '/api/v1/namespaces/NS-none/serviceaccounts/a/token',
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    ],
  ],
};
export default conversations;
