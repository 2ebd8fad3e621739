import { fileURLToPath } from 'node:url';
import type { StartOptions } from '@tsukube/server';
import type { Conversations, Request, Settle } from '../conversation.ts';

/** The admission plugins that must be enabled. The recorded kube-apiserver had the same plugins and configuration. */
export const options: StartOptions = {
  enableAdmissionPlugins: [
    'NamespaceAutoProvision',
    'NamespaceExists',
    'LimitPodHardAntiAffinityTopology',
    'AlwaysPullImages',
    'PodNodeSelector',
    'PodTolerationRestriction',
    'EventRateLimit',
    'ExtendedResourceToleration',
    'OwnerReferencesPermissionEnforcement',
    'DenyServiceExternalIPs',
  ],
  admissionControlConfigFile: fileURLToPath(new URL('../configuration/admission.yaml', import.meta.url)),
};

const core = '/api/v1/namespaces/NS';
const manager = 'fieldManager=m';
const merge = { 'content-type': 'application/merge-patch+json' };
const settle: Settle = { settleMs: 700 };
const account: Request = ['POST', `${core}/serviceaccounts?${manager}`, { metadata: { name: 'default' } }];
const patch = (path: string, body: unknown, headers: object = {}): Request => [
  'PATCH',
  `${path}?${manager}`,
  body,
  { ...merge, ...headers },
];
const container = { name: 'c', image: 'i' };
const pod = (name: string, spec: object = {}, namespace = 'NS'): Request => [
  'POST',
  `/api/v1/namespaces/${namespace}/pods?${manager}`,
  { metadata: { name }, spec: { automountServiceAccountToken: false, containers: [container], ...spec } },
];
const annotate = (annotations: object): Request => patch('/api/v1/namespaces/NS', { metadata: { annotations } });
const event = (name: string, involved: string, group = ''): Request => [
  'POST',
  `${core}/events?${manager}${group}`,
  {
    metadata: { name },
    involvedObject: { kind: 'Pod', namespace: 'NS', name: involved },
    source: { component: 'c', host: 'h' },
    reason: 'r',
    type: 'Normal',
  },
];
const service = (name: string, externalIPs: string[]): Request => [
  'POST',
  `${core}/services?${manager}&dryRun=All`,
  { metadata: { name }, spec: { ports: [{ port: 80 }], clusterIP: 'None', externalIPs } },
];
const affinity = (topologyKey: string) => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey, labelSelector: { matchLabels: { a: 'b' } } }],
    },
  },
});

const alice = { 'impersonate-user': 'alice' };
const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/NS';
const allow = (name: string, ...rules: object[]): readonly Request[] => [
  ['POST', `${rbac}/roles?${manager}`, { metadata: { name }, rules }],
  [
    'POST',
    `${rbac}/rolebindings?${manager}`,
    {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'alice' }],
    },
  ],
];
const owner = (more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  name: 's',
  uid: '00000000-0000-0000-0000-000000000001',
  ...more,
});
const owned = (name: string, ...ownerReferences: object[]): Request => [
  'POST',
  `${core}/configmaps?${manager}`,
  { metadata: { name, ownerReferences } },
  alice,
];
const own = (...ownerReferences: object[]): Request => patch(`${core}/configmaps/free`, { metadata: { ownerReferences } }, alice);

export default {
  namespaces: [
    ['POST', `/api/v1/namespaces/NS-new/configmaps?${manager}&dryRun=All`, { metadata: { name: 'c' } }],
    ['POST', `/api/v1/namespaces/NS-new/configmaps?${manager}`, { metadata: { name: 'c' } }],
    ['GET', '/api/v1/namespaces/NS-new'],
    ['POST', `/api/v1/namespaces/NS_bad/configmaps?${manager}`, { metadata: { name: 'c' } }],
    ['DELETE', '/api/v1/namespaces/NS-none/configmaps/c'],
  ],
  images: [
    account,
    pod('p', {
      initContainers: [{ name: 'i', image: 'i:v1', imagePullPolicy: 'IfNotPresent' }],
      volumes: [{ name: 'v', image: { reference: 'i:v1', pullPolicy: 'Never' } }],
    }),
    patch(`${core}/pods/p`, { metadata: { labels: { a: 'b' } } }),
    patch(`${core}/pods/p`, { spec: { containers: [{ name: 'c', image: 'j', imagePullPolicy: 'Always' }] } }),
  ],
  'anti-affinity': [
    account,
    pod('zone', affinity('topology.kubernetes.io/zone')),
    pod('node', affinity('kubernetes.io/hostname')),
  ],
  'node-selector': [
    account,
    pod('default'),
    pod('same', { nodeSelector: { 'example.com/zone': 'default', b: 'c', a: 'd' } }),
    pod('other', { nodeSelector: { 'example.com/zone': 'other' } }),
    annotate({ 'scheduler.alpha.kubernetes.io/node-selector': 'x = y,z=' }),
    settle,
    pod('annotated'),
    annotate({ 'scheduler.alpha.kubernetes.io/node-selector': '' }),
    settle,
    pod('none', { nodeSelector: { 'example.com/zone': 'other' } }),
    annotate({ 'scheduler.alpha.kubernetes.io/node-selector': 'x=y=z' }),
    settle,
    pod('three'),
    annotate({ 'scheduler.alpha.kubernetes.io/node-selector': 'a b=c' }),
    settle,
    pod('key'),
    annotate({ 'scheduler.alpha.kubernetes.io/node-selector': 'a=b c' }),
    settle,
    pod('value'),
  ],
  'node-selector-allowed': [
    ['POST', `/api/v1/namespaces/node-selector-allowed/serviceaccounts?${manager}`, { metadata: { name: 'default' } }],
    settle,
    pod('p', { nodeSelector: { 'example.com/disk': 'hdd' } }, 'node-selector-allowed'),
    pod('p', { nodeSelector: { other: 'x' } }, 'node-selector-allowed'),
    pod('p', { nodeSelector: { 'example.com/disk': 'ssd' } }, 'node-selector-allowed'),
    ['DELETE', '/api/v1/namespaces/node-selector-allowed/pods/p?gracePeriodSeconds=0'],
    ['DELETE', '/api/v1/namespaces/node-selector-allowed/serviceaccounts/default'],
  ],
  tolerations: [
    account,
    pod('default'),
    pod('burstable', { containers: [{ ...container, resources: { requests: { cpu: '1' } } }] }),
    pod('allowed', { tolerations: [{ key: 'example.com/allowed', operator: 'Equal', value: 'v', effect: 'NoSchedule' }] }),
    pod('denied', { tolerations: [{ key: 'example.com/allowed', operator: 'Equal', value: 'w' }] }),
    pod('all', { tolerations: [{ operator: 'Exists' }] }),
    annotate({
      'scheduler.alpha.kubernetes.io/defaultTolerations': '[{"key":"n","operator":"Exists"}]',
      'scheduler.alpha.kubernetes.io/tolerationsWhitelist':
        '[{"operator":"Exists","effect":"NoExecute"},{"key":"n","operator":"Exists"}]',
    }),
    settle,
    pod('namespace'),
    pod('namespace-denied', { tolerations: [{ key: 'example.com/default', operator: 'Exists' }] }),
    patch(`${core}/pods/default`, { metadata: { labels: { a: 'b' } } }),
    annotate({
      'scheduler.alpha.kubernetes.io/defaultTolerations': '',
      'scheduler.alpha.kubernetes.io/tolerationsWhitelist': '',
    }),
    settle,
    pod('empty', { tolerations: [{ key: 'anything', operator: 'Exists' }] }),
    annotate({ 'scheduler.alpha.kubernetes.io/tolerationsWhitelist': '{}' }),
    settle,
    pod('object'),
    annotate({ 'scheduler.alpha.kubernetes.io/tolerationsWhitelist': '[' }),
    settle,
    pod('broken'),
    annotate({
      'scheduler.alpha.kubernetes.io/tolerationsWhitelist': 'null',
      'scheduler.alpha.kubernetes.io/defaultTolerations': 'null',
    }),
    settle,
    pod('null'),
  ],
  'extended-resources': [
    account,
    pod('p', {
      containers: [{ ...container, resources: { limits: { 'example.com/device': '1', cpu: '1' } } }],
      initContainers: [{ name: 'i', image: 'i', resources: { limits: { 'example.com/device': '2' } } }],
    }),
    pod('q', {
      containers: [{ ...container, resources: { limits: { 'example.com/device': '1' } } }],
      tolerations: [{ key: 'example.com/device', operator: 'Exists', effect: 'NoSchedule' }],
    }),
  ],
  'event-rates': [
    [
      'POST',
      `${core}/events?${manager}&dryRun=All`,
      { metadata: { name: 'dry' }, involvedObject: { namespace: 'NS', name: 'a' } },
    ],
    event('a', 'a'),
    event('b', 'a'),
    event('c', 'a'),
    event('d', 'b'),
  ],
  'external-ips': [service('none', []), service('some', ['1.2.3.4'])],
  owners: [
    ...allow('maps', { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'patch', 'get'] }),
    settle,
    owned('plain', owner()),
    owned('free'),
    own(owner()),
    owned('blocking', owner({ blockOwnerDeletion: true })),
    owned('unknown', owner({ apiVersion: 'x.example.com/v1', kind: 'Foo', blockOwnerDeletion: true })),
    owned('node', owner({ kind: 'Node', blockOwnerDeletion: true })),
    ...allow(
      'more',
      { apiGroups: [''], resources: ['configmaps'], verbs: ['delete'] },
      { apiGroups: [''], resources: ['secrets/finalizers'], verbs: ['update'] },
    ),
    settle,
    own(owner()),
    own(owner({ blockOwnerDeletion: true })),
    own(owner({ blockOwnerDeletion: true, name: 't' })),
    own(owner({ blockOwnerDeletion: true, kind: 'Node', uid: '00000000-0000-0000-0000-000000000002' })),
    own(),
    owned('allowed', owner({ blockOwnerDeletion: true })),
  ],
} satisfies Conversations;
