import type { Any } from '../../support/client.ts';
import type { Conversations, Request, Step } from '../conversation.ts';

/** Writes by the kubelet of node NS, which RBAC permits everything. */
const kubelet = { 'impersonate-user': 'system:node:NS', 'impersonate-group': 'system:nodes' };
const merge = { 'content-type': 'application/merge-patch+json' };
const json = { 'content-type': 'application/json-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const core = '/api/v1/namespaces/NS';
const nodes = '/api/v1/nodes';
const manager = 'fieldManager=m';

const setUp: readonly Request[] = [
  [
    'POST',
    `${nodes}?${manager}`,
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'NS', labels: { 'kubernetes.io/hostname': 'NS', 'node-restriction.kubernetes.io/pci': 'true' } },
      spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
    },
  ],
  [
    'POST',
    `/apis/rbac.authorization.k8s.io/v1/clusterrolebindings?${manager}`,
    {
      metadata: { name: 'NS' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'system:node:NS' }],
    },
  ],
  ['POST', `${core}/serviceaccounts?${manager}`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'app' } }],
];
const tearDown: readonly Request[] = [
  ['DELETE', `${nodes}/NS`],
  ['DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/NS'],
];

const pod = (name: string, spec: object, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const app = { serviceAccountName: 'app', automountServiceAccountToken: false };
const create = (object: object, headers?: Record<string, string>): Request => [
  'POST',
  `${core}/pods?${manager}`,
  object,
  headers,
];
const running = (name: string, nodeName: string, spec: object = {}, metadata: object = {}) =>
  create(pod(name, { ...app, nodeName, ...spec }, metadata));
const patch = (path: string, body: unknown, type: Record<string, string> = merge): Request => [
  'PATCH',
  `${path}?${manager}`,
  body,
  { ...type, ...kubelet },
];

/** A mirror pod of the node, with the uid of the node from an earlier response. */
const mirrored =
  (spec: object, change: (owner: Any) => object | object[] | undefined = (owner) => owner, annotate = true): Step =>
  (answers) => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'NS', uid: answers[0].metadata.uid, controller: true };
    const owners = change(owner);
    const metadata = {
      ...(annotate && { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      ...(owners && { ownerReferences: [owners].flat() }),
    };
    return create(pod('mirror', { nodeName: 'NS', ...spec }, metadata), kubelet);
  };
const volume = (source: object) => mirrored({ volumes: [{ name: 'v', ...source }] });
const projected = (source: object) => volume({ projected: { sources: [source] } });
const withContainer = (more: object) => mirrored({ containers: [{ name: 'c', image: 'i', ...more }] });

const token = (bound: object | ((pod: Any) => object) | undefined, spec: object = {}, at = 0): Step => {
  return (answers) => {
    const boundObjectRef = typeof bound === 'function' ? bound(answers[at]) : bound;
    return [
      'POST',
      `${core}/serviceaccounts/app/token?${manager}`,
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { ...spec, ...(bound && { boundObjectRef }) } },
      kubelet,
    ];
  };
};
const boundTo = (target: Any) => ({ apiVersion: 'v1', kind: 'Pod', name: target.metadata.name, uid: target.metadata.uid });

const lease = (name: string) => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name } });
const leases = (namespace: string) => `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
const csiNodes = '/apis/storage.k8s.io/v1/csinodes';
const csiNode = (name: string) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'CSINode',
  metadata: { name },
  spec: { drivers: [] },
});
const slices = '/apis/resource.k8s.io/v1/resourceslices';
const slice = (name: string, more: object) => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name },
  spec: { driver: 'd.example.com', pool: { name: 'p', generation: 1, resourceSliceCount: 1 }, devices: [], ...more },
});
const csrs = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
/** CN=system:node:n1, O=system:nodes */
const request = Buffer.from(
  `-----BEGIN CERTIFICATE REQUEST-----\n${'MIHsMIGSAgEAMDAxFTATBgNVBAoMDHN5c3RlbTpub2RlczEXMBUGA1UEAwwOc3lzdGVtOm5vZGU6bjEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAARLr4hyaKCeLnf3wNgeu5InFnJS0bNeEH32Taz+EN0IZwfRhbXa9UX5jzotvUt1mxALhRGuB+rQ2XRckD+ehYaPoAAwCgYIKoZIzj0EAwIDSQAwRgIhAO/Gk8wgErZ2+jUSwbmGeQBQ+b69gvu91SXdo31t8ArmAiEAzyAfkf09OfOwTugMuv1AWh+fyrblRWryO9BcQeNCMbI='}\n-----END CERTIFICATE REQUEST-----\n`,
).toString('base64');
const csr = (signerName: string, user: string, content = request): Request => [
  'POST',
  `${csrs}?${manager}`,
  {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'NS' },
    spec: { request: content, signerName, usages: ['client auth'] },
  },
  { 'impersonate-user': user, 'impersonate-group': user.startsWith('system:node:') ? 'system:nodes' : 'system:masters' },
];

const conversations: Conversations = {
  'mirror-pods': [
    ...setUp,
    create(pod('plain', { ...app, nodeName: 'NS' }), kubelet),
    mirrored({ nodeName: 'NS-other' }),
    mirrored({}, () => undefined),
    mirrored({}, (owner) => [owner, { ...owner, controller: false, uid: 'u' }]),
    mirrored({}, (owner) => ({ ...owner, kind: 'Pod' })),
    mirrored({}, (owner) => ({ ...owner, apiVersion: 'v2' })),
    mirrored({}, (owner) => ({ ...owner, name: 'other' })),
    mirrored({}, ({ controller: _, ...owner }) => owner),
    mirrored({}, (owner) => ({ ...owner, controller: false })),
    mirrored({}, (owner) => ({ ...owner, blockOwnerDeletion: true })),
    mirrored({}, (owner) => ({ ...owner, uid: 'u' })),
    mirrored({ serviceAccountName: 'app' }),
    mirrored({ serviceAccount: 'app' }),
    mirrored({ imagePullSecrets: [{ name: 's' }] }),
    withContainer({ envFrom: [{ secretRef: { name: 's' } }] }),
    withContainer({ env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] }),
    withContainer({ envFrom: [{ configMapRef: { name: 'c' } }] }),
    withContainer({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'c', key: 'k' } } }] }),
    mirrored({ initContainers: [{ name: 'i', image: 'i', envFrom: [{ secretRef: { name: 's' } }] }] }),
    mirrored({ resourceClaims: [{ name: 'r', resourceClaimName: 'r' }] }),
    volume({ secret: { secretName: 's' } }),
    volume({ configMap: { name: 'c' } }),
    volume({ configMap: {} }),
    volume({ secret: {} }),
    volume({ persistentVolumeClaim: { claimName: 'c' } }),
    volume({
      ephemeral: {
        volumeClaimTemplate: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
      },
    }),
    volume({ csi: { driver: 'd' } }),
    volume({ csi: { driver: 'd', nodePublishSecretRef: { name: 's' } } }),
    volume({ glusterfs: { endpoints: 'e', path: 'p' } }),
    volume({ azureFile: { shareName: 's' } }),
    volume({ azureFile: { shareName: 's', secretName: 's' } }),
    volume({ cephfs: { monitors: ['m'], secretRef: { name: 's' } } }),
    volume({ rbd: { monitors: ['m'], image: 'i', secretRef: { name: 's' } } }),
    projected({ secret: { name: 's' } }),
    projected({ secret: {} }),
    projected({ configMap: { name: 'c' } }),
    projected({ serviceAccountToken: { path: 't' } }),
    projected({ clusterTrustBundle: { name: 'b', path: 't' } }),
    projected({}),
    volume({}),
    ['DELETE', `${core}/pods/mirror?gracePeriodSeconds=0`, undefined, kubelet],
    mirrored({}, undefined, false),
    mirrored({
      volumes: [
        { name: 'a', hostPath: { path: '/etc' } },
        { name: 'b', emptyDir: {} },
        {
          name: 'c',
          projected: { sources: [{ downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } }] },
        },
      ],
    }),
    ['DELETE', `${core}/pods/mirror?gracePeriodSeconds=0`, undefined, kubelet],
    ...tearDown,
  ],
  pods: [
    ...setUp,
    running('own', 'NS', {}, { labels: { a: 'b' } }),
    running('other', 'NS-other'),
    running('evicted', 'NS'),
    patch(`${core}/pods/own/status`, { status: { phase: 'Running' } }),
    patch(`${core}/pods/own/status`, { status: { message: 'm' } }, strategic),
    patch(`${core}/pods/own/status`, { metadata: { labels: { a: 'c' } } }),
    patch(`${core}/pods/own/status`, [{ op: 'remove', path: '/metadata/labels' }], json),
    patch(`${core}/pods/own/status`, { apiVersion: 'v1', kind: 'Pod', metadata: { labels: { x: 'y' } } }, apply),
    patch(`${core}/pods/own/status`, { apiVersion: 'v1', kind: 'Pod', status: { reason: 'r' } }, apply),
    patch(`${core}/pods/own/status`, { status: { resourceClaimStatuses: [{ name: 'r', resourceClaimName: 'x' }] } }),
    patch(`${core}/pods/own/status`, {
      status: { extendedResourceClaimStatus: { resourceClaimName: 'x', requestMappings: [] } },
    }),
    patch(`${core}/pods/other/status`, { status: { phase: 'Running' } }),
    patch(`${core}/pods/own`, { metadata: { labels: { a: 'c' } } }),
    patch(`${core}/pods/own/resize`, { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] } }, strategic),
    patch(`${core}/pods/own/ephemeralcontainers`, { spec: { ephemeralContainers: [{ name: 'e', image: 'i' }] } }, strategic),
    [
      'POST',
      `${core}/pods/own/binding`,
      { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'own' }, target: { name: 'NS' } },
      kubelet,
    ],
    ['DELETE', `${core}/pods/other`, undefined, kubelet],
    ['DELETE', `${core}/pods/none`, undefined, kubelet],
    ['DELETE', `${core}/pods?${manager}`, undefined, kubelet],
    ['GET', `${core}/pods/own?x=1`],
    ['POST', `${core}/pods/other/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'other' } }, kubelet],
    ['POST', `${core}/pods/none/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'none' } }, kubelet],
    ['POST', `${core}/pods/own/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'other' } }, kubelet],
    [
      'POST',
      `${core}/pods/evicted/eviction`,
      { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'evicted' } },
      kubelet,
    ],
    ['DELETE', `${core}/pods/own?gracePeriodSeconds=0`, undefined, kubelet],
    ...tearDown,
  ],
  nodes: [
    ...setUp,
    patch(`${nodes}/NS`, { metadata: { labels: { 'example.com/a': 'b', plain: 'x' } } }),
    patch(`${nodes}/NS`, {
      metadata: { labels: { 'node.kubernetes.io/a': 'b', 'x.kubelet.kubernetes.io/c': 'd', 'topology.kubernetes.io/zone': 'z' } },
    }),
    patch(`${nodes}/NS`, { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '', 'a.k8s.io/b': 'c' } } }),
    patch(`${nodes}/NS`, { metadata: { labels: { 'node-restriction.kubernetes.io/pci': 'false' } } }),
    patch(`${nodes}/NS`, { metadata: { labels: { 'node-restriction.kubernetes.io/pci': null } } }, strategic),
    patch(`${nodes}/NS`, { metadata: { labels: { 'x.node-restriction.kubernetes.io/b': 'c', 'kubernetes.io/z': 'c' } } }),
    patch(`${nodes}/NS`, [{ op: 'remove', path: '/metadata/labels' }], json),
    patch(`${nodes}/NS`, { apiVersion: 'v1', kind: 'Node', metadata: { labels: { 'k8s.io/a': 'b' } } }, apply),
    patch(`${nodes}/NS/status`, { metadata: { labels: { 'k8s.io/a': 'b' } } }),
    patch(`${nodes}/NS/status`, { status: { nodeInfo: { machineID: 'm' } } }),
    patch(`${nodes}/NS`, { spec: { taints: null } }),
    patch(`${nodes}/NS`, { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } }),
    patch(`${nodes}/NS/status`, { spec: { taints: [] } }),
    patch(`${nodes}/NS`, { metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }] } }),
    patch(`${nodes}/NS`, {
      spec: { configSource: { configMap: { namespace: 'a', name: 'b', kubeletConfigKey: 'c', uid: 'd' } } },
    }),
    patch(`${nodes}/NS`, { spec: { unschedulable: false, podCIDR: '10.9.0.0/24' } }),
    (answers) => ['PUT', `${nodes}/NS?${manager}`, { ...answers[0], metadata: { name: 'NS' }, spec: {} }, kubelet],
    ['POST', `${nodes}?${manager}`, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'NS-other' } }, kubelet],
    [
      'POST',
      `${nodes}?${manager}`,
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'NS-other' },
        spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
      },
    ],
    patch(`${nodes}/NS-other`, { metadata: { labels: { a: 'b' } } }),
    patch(`${nodes}/NS-other`, { metadata: { name: 'NS', labels: { a: 'b' } } }),
    patch(`${nodes}/NS-other/status`, { status: { phase: 'Running' } }),
    ['DELETE', `${nodes}/NS-other`, undefined, kubelet],
    ['DELETE', `${nodes}/NS-other`],
    ['DELETE', `${nodes}?labelSelector=plain=x`, undefined, kubelet],
    ['DELETE', `${nodes}/NS`, undefined, kubelet],
    [
      'POST',
      `${nodes}?${manager}`,
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'NS', labels: { 'node-role.kubernetes.io/master': '', 'a.k8s.io/b': 'c', x: 'y' } },
      },
      kubelet,
    ],
    [
      'POST',
      `${nodes}?${manager}`,
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'NS' },
        spec: { configSource: { configMap: { namespace: 'a', name: 'b', kubeletConfigKey: 'c', uid: 'd' } } },
      },
      kubelet,
    ],
    ['POST', `${nodes}?${manager}`, { apiVersion: 'v1', kind: 'Node', metadata: { generateName: 'NS-' } }, kubelet],
    [
      'POST',
      `${nodes}?${manager}`,
      {
        apiVersion: 'v1',
        kind: 'Node',
        metadata: { name: 'NS', labels: { 'kubernetes.io/os': 'linux' } },
        spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
      },
      kubelet,
    ],
    [
      'POST',
      `${nodes}?${manager}`,
      { apiVersion: 'v1', kind: 'Node', metadata: { name: 'NS-none' } },
      { ...kubelet, 'impersonate-user': 'system:node:' },
    ],
    ...tearDown,
  ],
  claims: [
    ...setUp,
    [
      'POST',
      `${core}/persistentvolumeclaims?${manager}`,
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'c', labels: { a: 'b' }, finalizers: ['kubernetes.io/pvc-protection'] },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '5Gi' } },
          storageClassName: 's',
          volumeName: 'v',
        },
      },
    ],
    patch(`${core}/persistentvolumeclaims/c/status`, {
      status: {
        capacity: { storage: '5Gi' },
        conditions: [{ type: 'FileSystemResizePending', status: 'True' }],
        allocatedResources: { storage: '5Gi' },
        allocatedResourceStatuses: { storage: 'NodeResizeInProgress' },
      },
    }),
    patch(`${core}/persistentvolumeclaims/c/status`, { status: { phase: 'Bound' } }),
    patch(`${core}/persistentvolumeclaims/c/status`, { metadata: { labels: { a: 'c' } } }),
    patch(`${core}/persistentvolumeclaims/c/status`, { metadata: { annotations: { a: '<c>' }, finalizers: null } }),
    patch(`${core}/persistentvolumeclaims/c/status`, { spec: { volumeName: 'w', accessModes: ['ReadWriteMany'] } }),
    patch(`${core}/persistentvolumeclaims/c/status`, {
      status: { accessModes: ['ReadWriteOnce'], currentVolumeAttributesClassName: 'g' },
    }),
    patch(`${core}/persistentvolumeclaims/c`, { metadata: { labels: { a: 'c' } } }),
    ['DELETE', `${core}/persistentvolumeclaims/c`, undefined, kubelet],
    ['DELETE', `${core}/persistentvolumeclaims`, undefined, kubelet],
    ...tearDown,
  ],
  tokens: [
    ...setUp,
    running('own', 'NS', {
      containers: [{ name: 'c', image: 'i' }],
      volumes: [
        { name: 'a', projected: { sources: [{ serviceAccountToken: { path: 't', audience: 'vault' } }] } },
        { name: 'b', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
        { name: 'c', csi: { driver: 'driver.example.com' } },
      ],
    }),
    running('other', 'NS-other'),
    running('bare', 'NS'),
    running('claims', 'NS', {
      volumes: [
        { name: 'v', persistentVolumeClaim: { claimName: 'none' } },
        { name: 'w', csi: { driver: 'missing.example.com' } },
      ],
    }),
    [
      'POST',
      `/apis/storage.k8s.io/v1/csidrivers?${manager}`,
      {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'CSIDriver',
        metadata: { name: 'driver.example.com' },
        spec: { tokenRequests: [{ audience: 'store' }] },
      },
    ],
    token(undefined),
    token({ apiVersion: 'v1', kind: 'Secret', name: 's', uid: 'u' }),
    token({ apiVersion: 'v1', kind: 'Node', name: 'NS', uid: 'u' }),
    token({ apiVersion: 'v1', kind: 'Pod' }),
    token({ apiVersion: 'v1', kind: 'Pod', name: 'own' }),
    token({ apiVersion: 'v1', kind: 'Pod', name: 'none', uid: 'u' }),
    token({ apiVersion: 'v1', kind: 'Pod', name: 'own', uid: 'u' }),
    token(boundTo, {}, 4),
    token(boundTo, { audiences: ['a', 'b'] }, 3),
    token(boundTo, { audiences: ['a'] }, 6),
    ['DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/NS'],
    ['DELETE', '/apis/storage.k8s.io/v1/csidrivers/driver.example.com'],
    ['DELETE', `${nodes}/NS`],
  ],
  leases: [
    ...setUp,
    ['POST', `${leases('NS')}?${manager}`, lease('NS'), kubelet],
    ['POST', `${leases('kube-node-lease')}?${manager}`, lease('NS-other'), kubelet],
    ['POST', `${leases('kube-node-lease')}?${manager}`, lease('NS'), kubelet],
    ['POST', `${leases('kube-node-lease')}?${manager}`, lease('NS-other')],
    ['PUT', `${leases('kube-node-lease')}/NS-other?${manager}`, lease('NS-other'), kubelet],
    ['PUT', `${leases('kube-node-lease')}/NS?${manager}`, lease('NS'), kubelet],
    patch(`${leases('kube-node-lease')}/NS-more`, lease('NS-more'), apply),
    ['DELETE', `${leases('kube-node-lease')}/NS-other`, undefined, kubelet],
    ['DELETE', `${leases('kube-node-lease')}/NS`, undefined, kubelet],
    ['DELETE', `${leases('kube-node-lease')}/NS-other`],
    ...tearDown,
  ],
  'csi-nodes': [
    ...setUp,
    ['POST', `${csiNodes}?${manager}`, csiNode('NS-other'), kubelet],
    ['POST', `${csiNodes}?${manager}`, csiNode('NS'), kubelet],
    ['POST', `${csiNodes}?${manager}`, csiNode('NS-other')],
    patch(`${csiNodes}/NS`, { metadata: { labels: { a: 'b' } } }),
    patch(`${csiNodes}/NS-other`, { metadata: { labels: { a: 'b' } } }),
    ['DELETE', `${csiNodes}/NS-other`, undefined, kubelet],
    ['DELETE', `${csiNodes}/NS`, undefined, kubelet],
    ['DELETE', `${csiNodes}/NS-other`],
    ...tearDown,
  ],
  'resource-slices': [
    ...setUp,
    ['POST', `${slices}?${manager}`, slice('NS', { nodeName: 'NS-other' }), kubelet],
    ['POST', `${slices}?${manager}`, slice('NS', { allNodes: true }), kubelet],
    ['POST', `${slices}?${manager}`, slice('NS', { nodeName: 'NS' }), kubelet],
    ['POST', `${slices}?${manager}`, slice('NS-other', { nodeName: 'NS-other' })],
    patch(`${slices}/NS-other`, { metadata: { labels: { a: 'b' } } }),
    ['DELETE', `${slices}/NS-other`, undefined, kubelet],
    ['DELETE', `${slices}?fieldSelector=spec.nodeName=NS-other`, undefined, kubelet],
    ['DELETE', `${slices}/NS`, undefined, kubelet],
    ['DELETE', `${slices}/NS-other`],
    ...tearDown,
  ],
  'signing-requests': [
    csr('kubernetes.io/kube-apiserver-client-kubelet', 'system:node:n2'),
    csr('kubernetes.io/kubelet-serving', 'system:node:n2'),
    csr('kubernetes.io/kubelet-serving', 'system:node:n1', 'AAAA'),
    csr('kubernetes.io/kube-apiserver-client-kubelet', 'system:node:n1'),
    ['DELETE', `${csrs}/NS`],
    csr('example.com/signer', 'system:node:n2'),
    ['DELETE', `${csrs}/NS`],
    csr('kubernetes.io/kube-apiserver-client-kubelet', 'jane'),
    ['DELETE', `${csrs}/NS`],
  ],
  // With the permissions of the Node authorizer only.
  'authorized-nodes': [
    ...setUp,
    ['DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/NS'],
    running('other', 'NS-other'),
    running('own', 'NS'),
    create(pod('thief', { ...app, nodeName: 'NS', volumes: [{ name: 'v', secret: { secretName: 's' } }] }), kubelet),
    volume({ secret: { secretName: 's' } }),
    patch(`${core}/pods/other/status`, { status: { phase: 'Running' } }),
    ['DELETE', `${core}/pods/other`, undefined, kubelet],
    patch(`${nodes}/NS`, { metadata: { labels: { 'node-role.kubernetes.io/control-plane': '' } } }),
    patch(`${nodes}/NS-other`, { metadata: { labels: { a: 'b' } } }),
    token((own) => boundTo(own), {}, 5),
    token((own) => boundTo(own), { audiences: ['vault'] }, 5),
    ['DELETE', `${nodes}/NS`],
  ],
};

export default conversations;
