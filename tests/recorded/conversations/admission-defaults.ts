import type { Conversations, Request, Settle } from '../conversation.ts';

/** The admission plugins that are enabled by default. */
const core = '/api/v1/namespaces/NS';
const manager = 'fieldManager=m';
const merge = { 'content-type': 'application/merge-patch+json' };
const settle: Settle = { settleMs: 700 };

const account: Request = ['POST', `${core}/serviceaccounts?${manager}`, { metadata: { name: 'default' } }];
const limits = (name: string, ...list: object[]): Request => [
  'POST',
  `${core}/limitranges?${manager}`,
  { apiVersion: 'v1', kind: 'LimitRange', metadata: { name }, spec: { limits: list } },
];
const containers = (...list: (object | undefined)[]) =>
  list.map((resources, i) => ({ name: `c${i}`, image: 'i', ...(resources && { resources }) }));
const pod = (name: string, spec: object, metadata: object = {}): Request => [
  'POST',
  `${core}/pods?${manager}`,
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { automountServiceAccountToken: false, containers: containers(undefined), ...spec },
  },
];
const claim = (name: string, storage: string, spec: object = {}, metadata: object = {}): Request => [
  'POST',
  `${core}/persistentvolumeclaims?${manager}`,
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } }, ...spec },
  },
];
const patch = (path: string, body: unknown): Request => ['PATCH', `${path}?${manager}`, body, merge];
const resize = (name: string, spec: object): Request => patch(`${core}/pods/${name}/resize`, { spec });
const node = (name: string, labels: object = {}, spec: object = {}, status: object = {}): Request => [
  'POST',
  `/api/v1/nodes?${manager}`,
  { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec, status },
];
const storageClass = (name: string, annotations: object, more: object = {}): Request => [
  'POST',
  `/apis/storage.k8s.io/v1/storageclasses?${manager}`,
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name, annotations },
    provisioner: 'p.example.com',
    ...more,
  },
];
const remove = (path: string): Request => ['DELETE', path];

const ingress = (name: string, spec: object = {}, annotations: object = {}): Request => [
  'POST',
  `/apis/networking.k8s.io/v1/namespaces/NS/ingresses?${manager}`,
  {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name, annotations },
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } }, ...spec },
  },
];

const withSecret = (name: string) => [
  { name: 'e', image: 'i', env: [{ name: 'E', valueFrom: { secretKeyRef: { name, key: 'k' } } }] },
];
const runtimeClass = (name: string, more: object): Request => [
  'POST',
  `/apis/node.k8s.io/v1/runtimeclasses?${manager}`,
  { metadata: { name }, handler: 'h', ...more },
];
const priorityClass = (name: string, more: object): Request => [
  'POST',
  `/apis/scheduling.k8s.io/v1/priorityclasses?${manager}`,
  { metadata: { name }, ...more },
];

const bind = (name: string, target: object): Request => [
  'POST',
  `${core}/pods/${name}/binding?${manager}`,
  { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target },
];

export default {
  containers: [
    account,
    limits('l', {
      type: 'Container',
      default: { cpu: '500m', memory: '128Mi' },
      defaultRequest: { cpu: '250m' },
      max: { cpu: '1' },
      min: { memory: '64Mi' },
    }),
    settle,
    pod('defaults', {}),
    pod('some', {
      containers: containers({ limits: { cpu: '1' } }, { requests: { memory: '100Mi' } }),
      initContainers: [{ name: 'first', image: 'i' }],
    }),
    pod('large', { containers: containers({ limits: { cpu: '1500m' }, requests: { cpu: '1' } }) }),
    pod('request', { containers: containers({ limits: { cpu: '2' }, requests: { cpu: '2' } }) }),
    pod('small', { containers: containers({ limits: { memory: '32Mi' } }) }),
    pod('small-init', { initContainers: [{ name: 'i', image: 'i', resources: { requests: { memory: '63Mi' } } }] }),
    pod('two', { containers: containers({ limits: { cpu: '2' } }, { limits: { memory: '1Mi' } }) }),
    pod('same', { containers: containers({ limits: { cpu: '2' } }, { limits: { cpu: '2' } }) }),
    patch(`${core}/pods/defaults`, { metadata: { labels: { a: 'b' } } }),
    resize('defaults', { containers: [{ name: 'c0', resources: { limits: { cpu: '2' }, requests: { cpu: '250m' } } }] }),
    resize('some', {
      containers: [
        { name: 'c0', resources: { limits: { cpu: '800m' } } },
        { name: 'c1', resources: { requests: { memory: '100Mi' } } },
      ],
    }),
  ],
  'no-limits': [
    account,
    limits('max', { type: 'Container', max: { 'example.com/x': '2' } }),
    settle,
    pod('none', {}),
    pod('given', { containers: containers({ limits: { 'example.com/x': '2' } }) }),
  ],
  ratios: [
    account,
    limits('l', { type: 'Container', maxLimitRequestRatio: { cpu: '1500m' } }),
    settle,
    pod('none', {}),
    pod('no-limit', { containers: containers({ requests: { cpu: '1' } }) }),
    pod('zero', { containers: containers({ requests: { cpu: '0' }, limits: { cpu: '1' } }) }),
    pod('over', { containers: containers({ requests: { cpu: '1' }, limits: { cpu: '1600m' } }) }),
    pod('third', { containers: containers({ requests: { cpu: '3' }, limits: { cpu: '7' } }) }),
    pod('fits', { containers: containers({ requests: { cpu: '1' }, limits: { cpu: '1500m' } }) }),
  ],
  pods: [
    account,
    limits('l', { type: 'Pod', max: { cpu: '2' }, min: { cpu: '500m' } }),
    settle,
    pod('none', {}),
    pod('sum', { containers: containers({ limits: { cpu: '1500m' } }, { limits: { cpu: '750m' } }) }),
    pod('init', {
      containers: containers({ limits: { cpu: '1' } }),
      initContainers: [
        { name: 's', image: 'i', restartPolicy: 'Always', resources: { limits: { cpu: '1' } } },
        { name: 'i', image: 'i', resources: { limits: { cpu: '1100m' } } },
      ],
    }),
    pod('small', { containers: containers({ requests: { cpu: '100m' }, limits: { cpu: '400m' } }) }),
    pod('level', { resources: { requests: { cpu: '1' }, limits: { cpu: '3' } } }),
    pod('level-fits', { resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } }),
    pod('fits', { containers: containers({ limits: { cpu: '1500m' } }, { limits: { cpu: '500m' } }) }),
  ],
  claims: [
    limits('l', { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } }),
    settle,
    claim('fits', '1.5Gi', { storageClassName: '' }),
    claim('small', '1023Mi', { storageClassName: '' }),
    claim('large', '3Gi', { storageClassName: '' }),
    patch(`${core}/persistentvolumeclaims/fits`, { spec: { resources: { requests: { storage: '4Gi' } } } }),
    patch(`${core}/persistentvolumeclaims/fits/status`, { status: { phase: 'Bound' } }),
    patch(`${core}/persistentvolumeclaims/fits`, { metadata: { labels: { a: 'b' } } }),
  ],
  'storage-classes': [
    claim('before', '1Gi'),
    storageClass('NS-a', { 'storageclass.kubernetes.io/is-default-class': 'true' }, { allowVolumeExpansion: true }),
    storageClass('NS-b', { 'storageclass.beta.kubernetes.io/is-default-class': 'false' }),
    settle,
    claim('default', '1Gi'),
    claim('none', '1Gi', { storageClassName: '' }),
    claim('annotated', '1Gi', {}, { annotations: { 'volume.beta.kubernetes.io/storage-class': 'x' } }),
    claim('other', '1Gi', { storageClassName: 'NS-b' }, { finalizers: ['kubernetes.io/pvc-protection'] }),
    patch(`${core}/persistentvolumeclaims/default/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } }),
    patch(`${core}/persistentvolumeclaims/default`, { spec: { resources: { requests: { storage: '2Gi' } } } }),
    patch(`${core}/persistentvolumeclaims/other`, { spec: { resources: { requests: { storage: '2Gi' } } } }),
    patch(`${core}/persistentvolumeclaims/other/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } }),
    patch(`${core}/persistentvolumeclaims/other`, { spec: { resources: { requests: { storage: '2Gi' } } } }),
    patch(`${core}/persistentvolumeclaims/other`, { metadata: { labels: { a: 'b' } } }),
    remove('/apis/storage.k8s.io/v1/storageclasses/NS-a'),
    remove('/apis/storage.k8s.io/v1/storageclasses/NS-b'),
  ],
  'ingress-classes': [
    ingress('before'),
    [
      'POST',
      `/apis/networking.k8s.io/v1/ingressclasses?${manager}`,
      {
        metadata: { name: 'NS', annotations: { 'ingressclass.kubernetes.io/is-default-class': 'true' } },
        spec: { controller: 'example.com/c' },
      },
    ],
    settle,
    ingress('default'),
    ingress('other', { ingressClassName: 'x' }),
    ingress('annotated', {}, { 'kubernetes.io/ingress.class': 'x' }),
    remove('/apis/networking.k8s.io/v1/ingressclasses/NS'),
  ],
  nodes: [
    account,
    node('NS', { 'topology.kubernetes.io/zone': 'z', 'topology.kubernetes.io/region': 'r', 'kubernetes.io/os': 'linux' }),
    node('NS-tainted', {}, { taints: [{ key: 'node.kubernetes.io/not-ready', value: 'x', effect: 'NoSchedule' }] }),
    node('NS-executed', {}, { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] }),
    settle,
    pod('on-node', { nodeName: 'NS' }, { labels: { 'topology.kubernetes.io/zone': 'mine', a: 'b', z: 'z' } }),
    pod('on-missing', { nodeName: 'NS-missing' }),
    pod('pending', {}),
    bind('pending', { apiVersion: 'v1', kind: 'Node', name: 'NS' }),
    ['GET', `${core}/pods/pending`],
    pod('elsewhere', {}),
    bind('elsewhere', { apiVersion: 'v1', kind: 'Node', name: 'NS-tainted' }),
    ['GET', `${core}/pods/elsewhere`],
    remove('/api/v1/nodes/NS'),
    remove('/api/v1/nodes/NS-tainted'),
    remove('/api/v1/nodes/NS-executed'),
  ],
  resizing: [
    account,
    node('NS', { 'kubernetes.io/os': 'linux' }, {}, { allocatable: { cpu: '2', memory: '1Gi' } }),
    node('NS-windows', { 'kubernetes.io/os': 'windows' }, {}, { allocatable: { cpu: '2', memory: '1Gi' } }),
    settle,
    pod('p', { nodeName: 'NS', containers: containers({ requests: { cpu: '1', memory: '512Mi' } }) }),
    pod('w', { nodeName: 'NS-windows', containers: containers({ requests: { cpu: '1' } }) }),
    pod('m', { nodeName: 'NS-missing', containers: containers({ requests: { cpu: '1' } }) }),
    pod('l', { nodeName: 'NS', resources: { requests: { cpu: '1' }, limits: { cpu: '2' } } }),
    pod('i', {
      nodeName: 'NS',
      containers: containers({ requests: { cpu: '1' } }),
      initContainers: [{ name: 'i', image: 'i', resources: { requests: { cpu: '1' } } }],
    }),
    resize('p', { containers: [{ name: 'c0', resources: { requests: { cpu: '2500m', memory: '2Gi' } } }] }),
    resize('p', { containers: [{ name: 'c0', resources: { requests: { cpu: '1500m', memory: '512Mi' } } }] }),
    resize('p', { containers: [{ name: 'c0', resources: { requests: { cpu: '1500m', memory: '512Mi' } } }] }),
    resize('w', { containers: [{ name: 'c0', resources: { requests: { cpu: '500m' } } }] }),
    resize('m', { containers: [{ name: 'c0', resources: { requests: { cpu: '500m' } } }] }),
    resize('l', { resources: { requests: { cpu: '1500m' }, limits: { cpu: '2' } } }),
    resize('i', {
      containers: [{ name: 'c0', resources: { requests: { cpu: '1' } } }],
      initContainers: [{ name: 'i', resources: { requests: { cpu: '1500m' } } }],
    }),
    patch('/api/v1/nodes/NS/status', {
      status: { declaredFeatures: ['InPlacePodLevelResourcesVerticalScaling', 'InPlacePodVerticalScalingInitContainers'] },
    }),
    settle,
    resize('l', { resources: { requests: { cpu: '1500m' }, limits: { cpu: '2' } } }),
    remove('/api/v1/nodes/NS'),
    remove('/api/v1/nodes/NS-windows'),
  ],
  'missing-namespace': [
    ['POST', '/api/v1/namespaces/NS-missing/configmaps', { metadata: { name: 'c' } }],
    [
      'POST',
      '/apis/authorization.k8s.io/v1/namespaces/NS-missing/localsubjectaccessreviews',
      {
        metadata: { namespace: 'NS-missing' },
        spec: { user: 'u', resourceAttributes: { namespace: 'NS-missing', verb: 'get', resource: 'pods' } },
      },
    ],
    ['DELETE', '/api/v1/namespaces/default'],
    ['DELETE', '/api/v1/namespaces/kube-system?dryRun=All'],
  ],
  secrets: [
    [
      'POST',
      `${core}/serviceaccounts?${manager}`,
      {
        metadata: { name: 'default', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
        secrets: [{ name: 'a' }],
        imagePullSecrets: [{ name: 'p' }],
      },
    ],
    settle,
    pod('volume', { volumes: [{ name: 'v', secret: { secretName: 'b' } }], imagePullSecrets: [{ name: 'q' }] }),
    pod('pull', { imagePullSecrets: [{ name: 'q' }], initContainers: withSecret('a') }),
    pod('init', { imagePullSecrets: [{ name: 'q' }], initContainers: withSecret('b') }),
    pod('invalid', { restartPolicy: 'Sometimes', volumes: [{ name: 'v', secret: { secretName: 'b' } }] }),
    pod('allowed', { volumes: [{ name: 'v', secret: { secretName: 'a' } }] }),
    [
      'PATCH',
      `${core}/pods/allowed/ephemeralcontainers?${manager}`,
      { spec: { ephemeralContainers: withSecret('b') } },
      { 'content-type': 'application/strategic-merge-patch+json' },
    ],
  ],
  'runtime-classes': [
    account,
    runtimeClass('NS-none', {}),
    runtimeClass('NS-empty', { overhead: {} }),
    runtimeClass('NS-some', {
      overhead: { podFixed: { cpu: '100m' } },
      scheduling: { nodeSelector: { z: 'y', a: 'b' }, tolerations: [{ key: 'k', operator: 'Exists' }] },
    }),
    settle,
    pod('missing', { runtimeClassName: 'NS-missing' }),
    pod('none', { runtimeClassName: 'NS-none' }),
    pod('empty', { runtimeClassName: 'NS-empty', overhead: {} }),
    pod('some', { runtimeClassName: 'NS-some', overhead: {}, nodeSelector: { m: 'n' } }),
    pod('same', { runtimeClassName: 'NS-some', overhead: { cpu: '0.1' } }),
    pod('other', { runtimeClassName: 'NS-some', overhead: { cpu: '1' } }),
    pod('without', { overhead: { cpu: '1' } }),
    pod('conflict', { runtimeClassName: 'NS-some', nodeSelector: { a: 'c' } }),
    remove('/apis/node.k8s.io/v1/runtimeclasses/NS-none'),
    remove('/apis/node.k8s.io/v1/runtimeclasses/NS-empty'),
    remove('/apis/node.k8s.io/v1/runtimeclasses/NS-some'),
  ],
  priorities: [
    account,
    priorityClass('NS-a', { value: 10, preemptionPolicy: 'Never' }),
    priorityClass('NS-b', { value: 20, globalDefault: true }),
    settle,
    priorityClass('NS-c', { value: 30, globalDefault: true }),
    patch('/apis/scheduling.k8s.io/v1/priorityclasses/NS-a', { globalDefault: true }),
    patch('/apis/scheduling.k8s.io/v1/priorityclasses/NS-b', { description: 'd' }),
    pod('default', {}),
    pod('named', { priorityClassName: 'NS-a' }),
    pod('policy', { priorityClassName: 'NS-a', preemptionPolicy: 'PreemptLowerPriority' }),
    pod('number', { priorityClassName: 'NS-a', priority: 11 }),
    pod('missing', { priorityClassName: 'NS-missing' }),
    remove('/apis/scheduling.k8s.io/v1/priorityclasses/NS-a'),
    remove('/apis/scheduling.k8s.io/v1/priorityclasses/NS-b'),
  ],
  volumes: [
    [
      'POST',
      `/api/v1/persistentvolumes?${manager}`,
      {
        metadata: { name: 'NS' },
        spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } },
      },
    ],
    [
      'POST',
      `/apis/storage.k8s.io/v1/volumeattributesclasses?${manager}`,
      { metadata: { name: 'NS', finalizers: ['a.example.com/b'] }, driverName: 'd.example.com', parameters: { a: 'b' } },
    ],
    patch('/api/v1/persistentvolumes/NS', { metadata: { finalizers: null } }),
    patch('/apis/storage.k8s.io/v1/volumeattributesclasses/NS', { metadata: { finalizers: null } }),
    remove('/api/v1/persistentvolumes/NS'),
    remove('/apis/storage.k8s.io/v1/volumeattributesclasses/NS'),
  ],
} satisfies Conversations;
