import type { Conversations, Request } from '../conversation.ts';

/** Fields and validation behind feature gates: fields of gates that are on in 1.36 are kept and validated, others are dropped. */
const merge = { 'content-type': 'application/merge-patch+json' };
const root = '/api/v1/namespaces/NS';
const dry = 'dryRun=All';

const container = (more: object = {}) => ({ name: 'c', image: 'i', ...more });
const podOf = (spec: object, metadata: object = {}, c: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', ...metadata },
  spec: { containers: [container(c)], serviceAccountName: 'gates', automountServiceAccountToken: false, ...spec },
});
const account: Request = [
  'POST',
  `${root}/serviceaccounts`,
  { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'gates' } },
];
const pod = (spec: object, metadata?: object): Request => ['POST', `${root}/pods?${dry}`, podOf(spec, metadata)];
const podWith = (c: object, spec: object = {}): Request => ['POST', `${root}/pods?${dry}`, podOf(spec, {}, c)];
const volume = (source: object, mount: object = {}): Request =>
  pod({
    containers: [container({ volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }] })],
    volumes: [{ name: 'v', ...source }],
  });
const projected = (source: object) => volume({ projected: { sources: [source] } });
const keep = (name: string, spec: object, metadata: object = {}): Request => [
  'POST',
  `${root}/pods`,
  podOf(spec, { name, ...metadata }),
];
const status = (path: string, status: object): Request => ['PATCH', `${path}/status`, { status }, merge];
const podStatus = (name: string, more: object) => status(`${root}/pods/${name}`, more);

const running = { name: 'c', image: 'i', imageID: '', ready: true, restartCount: 0 };
const extended = (containerName: string, resourceName: string, requestName: string) => ({
  resourceClaimName: 'r',
  requestMappings: [{ containerName, resourceName, requestName }],
});
const spread = (more: object) => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: 'zone',
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: { matchLabels: { app: 'a' } },
      ...more,
    },
  ],
});
const affinity = (more: object) => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: 'zone', labelSelector: { matchLabels: { app: 'a' } }, ...more },
      ],
    },
  },
});
const labels = { labels: { app: 'a', rev: '1' } };
const rules = (action: string) => ({
  restartPolicy: 'Never',
  restartPolicyRules: [{ action, exitCodes: { operator: 'In', values: [42] } }],
});
const requests = (cpu: string) => ({ requests: { cpu } });

const job = (spec: object, template: object = {}, name = 'j') => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: {
    ...spec,
    template: { spec: { restartPolicy: 'Never', containers: [container()], ...template } },
  },
});
const jobs = '/apis/batch/v1/namespaces/NS/jobs';
const newJob = (spec: object, template?: object): Request => ['POST', `${jobs}?${dry}`, job(spec, template)];
const patchJob = (name: string, spec: object): Request => ['PATCH', `${jobs}/${name}?${dry}`, { spec }, merge];

const service = (spec: object, name = 's'): Request => [
  'POST',
  `${root}/services?${dry}`,
  { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } },
];
const slice = (more: object): Request => [
  'POST',
  `/apis/discovery.k8s.io/v1/namespaces/NS/endpointslices?${dry}`,
  { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', metadata: { name: 'e' }, addressType: 'IPv4', ...more },
];
const hpa = (spec: object): Request => [
  'POST',
  `/apis/autoscaling/v2/namespaces/NS/horizontalpodautoscalers?${dry}`,
  {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'h' },
    spec: { maxReplicas: 3, scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, ...spec },
  },
];
const driver = (spec: object): Request => [
  'POST',
  `/apis/storage.k8s.io/v1/csidrivers?${dry}`,
  { apiVersion: 'storage.k8s.io/v1', kind: 'CSIDriver', metadata: { name: 'gates.example.com' }, spec },
];
const claim = (spec: object): Request => [
  'POST',
  `${root}/persistentvolumeclaims?${dry}`,
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
  },
];
const workload = (kind: string, plural: string, spec: object): Request => [
  'POST',
  `/apis/apps/v1/namespaces/NS/${plural}`,
  {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'w' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: { metadata: { labels: { a: 'b' } }, spec: { containers: [container()] } },
      ...spec,
    },
  },
];

const dra = '/apis/resource.k8s.io/v1';
const claims = `${dra}/namespaces/NS/resourceclaims`;
const resourceClaim = (devices: object, metadata: object = {}): object => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceClaim',
  metadata: { name: 'r', ...metadata },
  spec: { devices },
});
const newClaim = (devices: object): Request => ['POST', `${claims}?${dry}`, resourceClaim(devices)];
const exactly = (more: object = {}) => ({ requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', ...more } }] });
const deviceSlice = (devices: object[], more: object = {}): Request => [
  'POST',
  `${dra}/resourceslices?${dry}`,
  {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceSlice',
    metadata: { name: 'NS' },
    spec: {
      driver: 'gates.example.com',
      nodeName: 'n',
      pool: { name: 'n', generation: 1, resourceSliceCount: 1 },
      devices,
      ...more,
    },
  },
];
const deviceClass = (spec: object): Request => [
  'POST',
  `${dra}/deviceclasses?${dry}`,
  { apiVersion: 'resource.k8s.io/v1', kind: 'DeviceClass', metadata: { name: 'ns-gates' }, spec },
];
const device = { driver: 'gates.example.com', pool: 'p', device: 'd' };
const result = { ...device, request: 'r' };
const allocate = (headers: Record<string, string> = {}): Request => [
  'PATCH',
  `${claims}/r/status`,
  {
    status: {
      allocation: {
        devices: { results: [result] },
        nodeSelector: { nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }] },
      },
    },
  },
  { ...merge, ...headers },
];
const driverAccount = 'system:serviceaccount:gates:driver';
const users = ['gates-user', driverAccount].map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }));
const reviews = '/apis/authorization.k8s.io/v1';
const review = (attributes: object): Request => [
  'POST',
  `${reviews}/selfsubjectaccessreviews`,
  {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes: { verb: 'list', resource: 'pods', version: 'v1', ...attributes } },
  },
];
/** A Role in the namespace; `grant` binds it. */
const role = (verbs: readonly string[], resources: readonly string[]): Request => [
  'POST',
  `/apis/rbac.authorization.k8s.io/v1/namespaces/NS/roles`,
  { metadata: { name: verbs.join('-') }, rules: [{ apiGroups: [''], resources, verbs }] },
];
const grant = (name: string): Request => [
  'POST',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/NS/rolebindings',
  {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: users,
  },
];
const node = (name: string): Request => ['POST', '/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name } }];

const conversations: Conversations = {
  containers: [
    account,
    podWith(rules('Restart')),
    podWith(rules('RestartAllContainers')),
    podWith(rules('Nothing')),
    podWith({ restartPolicyRules: rules('Restart').restartPolicyRules }),
    podWith({ restartPolicy: 'Always' }),
    pod({ initContainers: [container({ name: 'i', restartPolicy: 'Always' })] }),
    pod({ initContainers: [container({ name: 'i', restartPolicy: 'Never' })] }),
    podWith(
      { env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'v', path: 'f', key: 'K' } } }] },
      {
        volumes: [{ name: 'v', emptyDir: {} }],
      },
    ),
    podWith({ env: [{ name: 'A', valueFrom: { fileKeyRef: { volumeName: 'w', path: '../f', key: '' } } }] }),
    podWith({ env: [{ name: '1 A!', value: 'x' }] }),
    podWith({ env: [{ name: 'A=', value: 'x' }] }),
    podWith({ lifecycle: { preStop: { sleep: { seconds: 0 } } } }),
    podWith({ lifecycle: { preStop: { sleep: { seconds: -1 } } } }),
    podWith({ securityContext: { procMount: 'Unmasked' } }),
    podWith({ securityContext: { procMount: 'Unmasked' } }, { hostUsers: false }),
    podWith({ resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }], resources: requests('1') }),
    podWith({ resources: { claims: [{ name: 'gpu' }] } }),
    podWith({ resources: { claims: [{ name: 'gpu' }] } }, { resourceClaims: [{ name: 'gpu', resourceClaimName: 'r' }] }),
  ],
  gated: [
    account,
    podWith({ lifecycle: { stopSignal: 'SIGUSR1' } }),
    podWith({ lifecycle: { stopSignal: 'SIGUSR1', preStop: { sleep: { seconds: 1 } } } }, { os: { name: 'linux' } }),
    pod({ schedulingGroup: { podGroupName: 'g' } }),
    ['POST', jobs, job({}, { containers: [container({ lifecycle: { stopSignal: 'SIGUSR1' } })] }, 'signals')],
    workload('DaemonSet', 'daemonsets', {
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [container({ lifecycle: { stopSignal: 'SIGUSR1' } })], schedulingGroup: { podGroupName: 'g' } },
      },
    }),
    [
      'PATCH',
      '/apis/apps/v1/namespaces/NS/daemonsets/w',
      { spec: { template: { spec: { containers: [container({ lifecycle: { stopSignal: 'SIGUSR2' } })] } } } },
      merge,
    ],
  ],
  pods: [
    account,
    pod({ hostnameOverride: 'name.example' }),
    pod({ hostnameOverride: 'Bad_Name' }),
    pod({ hostnameOverride: 'a', hostNetwork: true }),
    pod({ hostnameOverride: 'a', setHostnameAsFQDN: true }),
    pod({ resources: requests('1') }),
    pod({ resources: { requests: { cpu: '1' }, limits: { cpu: '1', memory: '1Gi' } } }),
    pod({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
    pod({ resources: { requests: { 'example.com/gpu': '1' } } }),
    pod({ resources: requests('1'), containers: [container({ resources: requests('2') })] }),
    pod({ resources: requests('1'), os: { name: 'windows' } }),
    pod(affinity({ matchLabelKeys: ['rev'], mismatchLabelKeys: ['none'] }), labels),
    pod(affinity({ matchLabelKeys: ['app'] }), labels),
    pod(spread({ matchLabelKeys: ['rev'] }), labels),
    pod(spread({ matchLabelKeys: ['app'] }), labels),
    pod(spread({ nodeAffinityPolicy: 'Ignore', nodeTaintsPolicy: 'Honor' }), labels),
    pod({}, { annotations: { 'controller.kubernetes.io/pod-deletion-cost': 'many' } }),
    pod({}, { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '+1' } }),
    pod({ schedulingGates: [{ name: 'example.com/wait' }] }),
    pod({ schedulingGates: [{ name: 'example.com/wait' }], nodeName: 'n' }),
    pod({ securityContext: { supplementalGroupsPolicy: 'Strict', seLinuxChangePolicy: 'Recursive' } }),
    pod({ securityContext: { supplementalGroupsPolicy: 'Other', seLinuxChangePolicy: 'Other' } }),
    pod({ securityContext: { seLinuxChangePolicy: 'MountOption' } }),
    pod({ hostUsers: false }),
    pod({ hostUsers: false, hostNetwork: true }),
    pod({ hostUsers: false, hostPID: true }),
    pod({ dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], searches: ['.', '_ldap._tcp.example.com', 'a.b.'] } }),
    pod({ dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'], searches: ['-bad'] } }),
    pod({ dnsPolicy: 'None', dnsConfig: { nameservers: ['010.1.1.1'] } }),
    pod({ tolerations: [{ key: 'k', operator: 'Lt', value: '5' }] }),
    pod({ workloadRef: { name: 'w', podGroup: 'g' } }),
    pod({ hostAliases: [{ ip: '010.0.0.1', hostnames: ['a'] }] }),
    pod({ resourceClaims: [{ name: 'a', resourceClaimName: 'x', resourceClaimTemplateName: 'y' }, { name: 'b' }] }),
  ],
  'pod-volumes': [
    account,
    volume({ image: { reference: 'example.com/i:1', pullPolicy: 'Always' } }),
    volume({ image: { reference: 'example.com/i' } }, { subPath: 'a' }),
    volume({ image: {} }),
    volume({ image: { reference: 'i', pullPolicy: 'Sometimes' } }),
    volume({ emptyDir: {} }, { recursiveReadOnly: 'IfPossible', readOnly: true }),
    volume({ emptyDir: {} }, { recursiveReadOnly: 'Enabled' }),
    projected({ clusterTrustBundle: { name: 'b', path: 'p' } }),
    projected({ podCertificate: { signerName: 'example.com/s', keyType: 'ED25519', credentialBundlePath: 'p' } }),
    volume({ gitRepo: { repository: 'r' } }),
    volume({
      ephemeral: {
        volumeClaimTemplate: {
          spec: {
            accessModes: ['ReadWriteOnce'],
            resources: { requests: { storage: '1Gi' } },
            dataSourceRef: { kind: 'K', name: 'n', apiGroup: 'g', namespace: 'other' },
            volumeAttributesClassName: 'gold',
          },
        },
      },
    }),
  ],
  'pod-status': [
    account,
    keep('p', {
      nodeName: 'ns-none',
      containers: [
        container({
          resources: {
            requests: { cpu: '1', 'example.com/gpu': '1' },
            limits: { 'example.com/gpu': '1' },
            claims: [{ name: 'a' }],
          },
        }),
      ],
      resourceClaims: [{ name: 'a', resourceClaimName: 'r' }],
    }),
    podStatus('p', { observedGeneration: 1, conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] }),
    podStatus('p', { observedGeneration: -1 }),
    podStatus('p', {
      containerStatuses: [
        {
          ...running,
          stopSignal: 'SIGTERM',
          allocatedResources: { cpu: '1' },
          allocatedResourcesStatus: [{ name: 'claim:a', resources: [{ resourceID: 'x', health: 'Healthy', message: 'fine' }] }],
          user: { linux: { uid: 1, gid: 1 } },
          volumeMounts: [
            { name: 'v', mountPath: '/v', recursiveReadOnly: 'Enabled', volumeStatus: { image: { imageRef: 'r' } } },
          ],
        },
      ],
    }),
    podStatus('p', {
      containerStatuses: [
        {
          ...running,
          allocatedResourcesStatus: [
            {
              name: 'memory',
              resources: [
                { resourceID: 'x', health: 'Bad', message: '' },
                { resourceID: 'x', health: 'Unknown' },
              ],
            },
            { name: 'claim:b', resources: [] },
          ],
          user: { linux: { uid: -1, gid: 1, supplementalGroups: [-2] } },
        },
      ],
      ephemeralContainerStatuses: [{ ...running, allocatedResourcesStatus: [{ name: 'cpu' }] }],
    }),
    podStatus('p', {
      resources: { requests: { cpu: '1' } },
      allocatedResources: { cpu: '1' },
      resize: 'Proposed',
      resourceClaimStatuses: [{ name: 'a', resourceClaimName: 'r' }],
      nodeAllocatableResourceClaimStatuses: [{ resourceClaimName: 'r', containers: ['c'] }],
      extendedResourceClaimStatus: extended('c', 'example.com/gpu', 'container-0-request-0'),
    }),
    podStatus('p', {
      resourceClaimStatuses: [{ name: 'b' }, { name: 'b', resourceClaimName: 'Bad_' }],
      extendedResourceClaimStatus: extended('c', 'example.com/none', 'Bad_'),
    }),
    podStatus('p', { extendedResourceClaimStatus: extended('none', 'example.com/gpu', 'r') }),
    podStatus('p', { extendedResourceClaimStatus: { resourceClaimName: '', requestMappings: [] } }),
    podStatus('p', { hostIPs: [{ ip: '010.0.0.1' }], hostIP: '010.0.0.1', podIPs: [{ ip: '010.0.0.2' }] }),
  ],
  resize: [
    account,
    keep('p', {
      containers: [container({ resources: requests('1') })],
      initContainers: [container({ name: 'i', resources: requests('1') })],
    }),
    ['PATCH', `${root}/pods/p/resize?${dry}`, { spec: { containers: [container({ resources: requests('2') })] } }, merge],
    [
      'PATCH',
      `${root}/pods/p/resize?${dry}`,
      { spec: { initContainers: [container({ name: 'i', resources: requests('2') })] } },
      merge,
    ],
    ['PATCH', `${root}/pods/p?${dry}`, { spec: { containers: [container({ resources: requests('2') })] } }, merge],
    ['PATCH', `${root}/pods/p/resize?${dry}`, { spec: { resources: requests('4') } }, merge],
    ['PATCH', `${root}/pods/p/resize?${dry}`, { spec: { activeDeadlineSeconds: 1 } }, merge],
    ['PATCH', `${root}/pods/p/ephemeralcontainers?${dry}`, { spec: { activeDeadlineSeconds: 1 } }, merge],
    keep('q', { resources: requests('4'), containers: [container({ resources: requests('1') })] }),
    ['PATCH', `${root}/pods/q/resize?${dry}`, { spec: { resources: requests('5') } }, merge],
    ['PATCH', `${root}/pods/q/resize?${dry}`, { spec: { resources: requests('0.5') } }, merge],
  ],
  connections: [
    account,
    keep('p', {}),
    role(['get', 'create'], ['pods/attach']),
    role(['get'], ['pods/exec', 'pods/portforward']),
    grant('get-create'),
    grant('get'),
    { until: `/api/v1/namespaces/NS/pods/p`, holds: (found) => found.metadata.uid !== undefined },
    ...['exec?command=a', 'portforward?ports=1', 'attach'].map(
      (subresource): Request => ['GET', `${root}/pods/p/${subresource}`, undefined, { 'impersonate-user': 'gates-user' }],
    ),
    ['GET', `${root}/pods/p/exec?command=a`],
  ],
  binding: [
    account,
    node('node-NS'),
    ['PATCH', '/api/v1/nodes/node-NS', { metadata: { labels: { other: 'o' } } }, merge],
    keep('p', {}),
    podStatus('p', { nominatedNodeName: 'elsewhere' }),
    [
      'POST',
      `${root}/pods/p/binding`,
      { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { kind: 'Node', name: 'node-NS' } },
    ],
    ['GET', `${root}/pods/p`],
    status('/api/v1/nodes/node-NS', { declaredFeatures: ['A', 'B'] }),
    status('/api/v1/nodes/node-NS', { declaredFeatures: ['not a feature', 'A', 'A'] }),
    status('/api/v1/nodes/node-NS', {
      features: { supplementalGroupsPolicy: true },
      runtimeHandlers: [{ name: 'r', features: { recursiveReadOnlyMounts: true, userNamespaces: true } }],
      nodeInfo: { kubeProxyVersion: 'v1', swap: { capacity: 5 } },
    }),
    ['DELETE', `${root}/pods/p?gracePeriodSeconds=0`],
    ['DELETE', '/api/v1/nodes/node-NS'],
  ],
  jobs: [
    newJob({ backoffLimitPerIndex: 1, maxFailedIndexes: 2, completions: 4, completionMode: 'Indexed' }),
    newJob({ backoffLimitPerIndex: 1 }),
    newJob({ podReplacementPolicy: 'Failed' }),
    newJob({ managedBy: 'example.com/controller' }),
    newJob({ managedBy: 'nothing' }),
    newJob({ successPolicy: { rules: [{ succeededIndexes: '0-1' }] }, completions: 3, completionMode: 'Indexed' }),
    newJob({ successPolicy: { rules: [] } }),
    newJob({ podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [1] } }] } }),
    ['POST', jobs, job({ suspend: true }, { containers: [container({ resources: requests('1') })] }, 'suspended')],
    patchJob('suspended', {
      template: { spec: { containers: [container({ resources: requests('2') })], nodeSelector: { a: 'b' } } },
    }),
    patchJob('suspended', { template: { spec: { schedulingGates: [{ name: 'example.com/g' }] } } }),
    patchJob('suspended', { template: { metadata: { annotations: { a: 'b' } } } }),
    patchJob('suspended', { template: { spec: { containers: [container({ image: 'other' })] } } }),
    ['POST', jobs, job({}, { containers: [container({ resources: requests('1') })] }, 'running')],
    patchJob('running', { template: { spec: { containers: [container({ resources: requests('2') })] } } }),
    patchJob('running', { template: { spec: { nodeSelector: { a: 'b' } } } }),
  ],
  services: [
    service({ trafficDistribution: 'PreferSameNode' }),
    service({ trafficDistribution: 'PreferSameZone' }),
    service({ trafficDistribution: 'PreferNobody' }),
    service({}, '1service'),
    service({}, '-service'),
    service({ externalIPs: ['10.1.2.3'] }),
    service({ externalIPs: ['010.1.2.3'] }),
    service({ loadBalancerSourceRanges: ['10.0.0.1/8'], type: 'LoadBalancer' }),
    service({ clusterIP: '::ffff:10.0.0.9' }),
    slice({ endpoints: [{ addresses: ['10.0.0.1'], hints: { forNodes: [{ name: 'n' }], forZones: [{ name: 'z' }] } }] }),
    slice({ endpoints: [{ addresses: ['10.0.0.1'], hints: { forNodes: [{ name: 'Bad_' }] } }] }),
    slice({ endpoints: [{ addresses: ['010.0.0.1'] }] }),
    [
      'POST',
      `/apis/networking.k8s.io/v1/namespaces/NS/ingresses?${dry}`,
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'Ingress',
        metadata: { name: 'i' },
        spec: { defaultBackend: { service: { name: '1s', port: { number: 80 } } } },
      },
    ],
    [
      'POST',
      `/apis/networking.k8s.io/v1/namespaces/NS/networkpolicies?${dry}`,
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'NetworkPolicy',
        metadata: { name: 'n' },
        spec: { podSelector: {}, ingress: [{ from: [{ ipBlock: { cidr: '10.0.0.1/8' } }] }] },
      },
    ],
    [
      'POST',
      `/apis/networking.k8s.io/v1/servicecidrs?${dry}`,
      {
        apiVersion: 'networking.k8s.io/v1',
        kind: 'ServiceCIDR',
        metadata: { name: 'ns-gates' },
        spec: { cidrs: ['10.200.0.0/24'] },
        status: { conditions: [{ type: 'Ready', status: 'True', reason: 'r', lastTransitionTime: '2020-01-01T00:00:00Z' }] },
      },
    ],
  ],
  autoscaling: [
    hpa({ behavior: { scaleUp: { tolerance: '0.1' }, scaleDown: { tolerance: '500m' } } }),
    hpa({ behavior: { scaleUp: { tolerance: '-1' } } }),
    hpa({
      minReplicas: 0,
      metrics: [{ type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } }],
    }),
  ],
  storage: [
    driver({}),
    driver({ nodeAllocatableUpdatePeriodSeconds: 60 }),
    driver({ nodeAllocatableUpdatePeriodSeconds: 5 }),
    driver({ seLinuxMount: true, requiresRepublish: true }),
    driver({ serviceAccountTokenInSecrets: true }),
    driver({ serviceAccountTokenInSecrets: true, tokenRequests: [{ audience: 'a' }] }),
    driver({ preventPodSchedulingIfMissing: true }),
    claim({ volumeAttributesClassName: 'gold' }),
    claim({ volumeAttributesClassName: '' }),
    claim({ dataSourceRef: { apiGroup: 'g', kind: 'K', name: 'n', namespace: 'other' } }),
    claim({ dataSourceRef: { apiGroup: 'g', kind: 'K', name: 'n' } }),
    [
      'POST',
      '/api/v1/persistentvolumes',
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'pv-NS' },
        spec: {
          capacity: { storage: '1Gi' },
          accessModes: ['ReadWriteOnce'],
          csi: { driver: 'd', volumeHandle: 'h' },
          volumeAttributesClassName: 'gold',
          nodeAffinity: {
            required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }] },
          },
        },
      },
    ],
    [
      'PATCH',
      `/api/v1/persistentvolumes/pv-NS?${dry}`,
      {
        spec: {
          nodeAffinity: {
            required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'c', operator: 'In', values: ['d'] }] }] },
          },
        },
      },
      merge,
    ],
    ['PATCH', `/api/v1/persistentvolumes/pv-NS?${dry}`, { spec: { volumeAttributesClassName: 'silver' } }, merge],
    ['PATCH', '/api/v1/persistentvolumes/pv-NS', { metadata: { finalizers: null } }, merge],
    ['DELETE', '/api/v1/persistentvolumes/pv-NS'],
  ],
  'claim-status': [
    [
      'POST',
      `${root}/persistentvolumeclaims`,
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'c' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '5Gi' } },
          storageClassName: 's',
          volumeName: 'v',
        },
      },
    ],
    status(`${root}/persistentvolumeclaims/c`, {
      phase: 'Bound',
      capacity: { storage: '1Gi' },
      allocatedResources: { storage: '5Gi' },
      allocatedResourceStatuses: { storage: 'ControllerResizeInProgress' },
      currentVolumeAttributesClassName: 'gold',
      modifyVolumeStatus: { status: 'Pending', targetVolumeAttributesClassName: 'gold' },
    }),
    status(`${root}/persistentvolumeclaims/c`, { allocatedResourceStatuses: { storage: 'Nothing' } }),
    ['PATCH', `${root}/persistentvolumeclaims/c?${dry}`, { spec: { resources: { requests: { storage: '3Gi' } } } }, merge],
    ['PATCH', `${root}/persistentvolumeclaims/c?${dry}`, { spec: { resources: { requests: { storage: '1Gi' } } } }, merge],
    ['PATCH', `${root}/persistentvolumeclaims/c?${dry}`, { spec: { volumeAttributesClassName: 'silver' } }, merge],
  ],
  workloads: [
    workload('Deployment', 'deployments', {}),
    status('/apis/apps/v1/namespaces/NS/deployments/w', { terminatingReplicas: 2 }),
    status('/apis/apps/v1/namespaces/NS/deployments/w', { terminatingReplicas: -2 }),
    workload('ReplicaSet', 'replicasets', {}),
    status('/apis/apps/v1/namespaces/NS/replicasets/w', { terminatingReplicas: 2 }),
    workload('StatefulSet', 'statefulsets', {
      serviceName: 's',
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 2 } },
    }),
    [
      'POST',
      `/apis/coordination.k8s.io/v1/namespaces/NS/leases?${dry}`,
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: 'l' },
        spec: { holderIdentity: 'a', strategy: 'OldestEmulationVersion', preferredHolder: 'b' },
      },
    ],
  ],
  devices: [
    newClaim(exactly()),
    newClaim(exactly({ adminAccess: true })),
    newClaim(exactly({ allocationMode: 'All', count: 2 })),
    newClaim(exactly({ capacity: { requests: { memory: '1Gi' } } })),
    newClaim(exactly({ tolerations: [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }] })),
    newClaim(exactly({ tolerations: [{ key: 'k', operator: 'Other', effect: 'Nothing' }] })),
    newClaim({
      requests: [
        {
          name: 'r',
          firstAvailable: [
            { name: 'a', deviceClassName: 'gpu', tolerations: [{ operator: 'Exists' }] },
            { name: 'b', deviceClassName: 'cpu', count: 2 },
          ],
        },
      ],
    }),
    newClaim({ requests: [{ name: 'r' }] }),
    newClaim({ ...exactly(), constraints: [{ distinctAttribute: 'a/b' }] }),
    deviceSlice([{ name: 'd', attributes: { a: { string: 'x' } }, capacity: { memory: { value: '1Gi' } } }]),
    deviceSlice([{ name: 'd', attributes: { a: { strings: ['x', 'y'] } } }]),
    deviceSlice([{ name: 'd', taints: [{ key: 'k', effect: 'NoSchedule', timeAdded: '2020-01-01T00:00:00Z' }] }]),
    deviceSlice([{ name: 'd', taints: [{ key: 'k', effect: 'Other' }] }]),
    deviceSlice([
      {
        name: 'd',
        bindsToNode: true,
        bindingConditions: ['example.com/ready'],
        bindingFailureConditions: ['example.com/failed'],
      },
    ]),
    deviceSlice([
      {
        name: 'd',
        allowMultipleAllocations: true,
        capacity: { memory: { value: '4Gi', requestPolicy: { default: '1Gi', validRange: { min: '1Gi', step: '1Gi' } } } },
      },
    ]),
    deviceSlice([{ name: 'd', consumesCounters: [{ counterSet: 'c', counters: { memory: { value: '1Gi' } } }] }]),
    deviceSlice([], { sharedCounters: [{ name: 'c', counters: { memory: { value: '4Gi' } } }], devices: undefined }),
    deviceSlice([{ name: 'd', nodeName: 'n' }], { nodeName: undefined, perDeviceNodeSelection: true }),
    deviceSlice([{ name: 'd', nodeAllocatableResourceMappings: { cpu: { allocationMultiplier: '1' } } }]),
    deviceClass({ extendedResourceName: 'example.com/gpu' }),
    deviceClass({ extendedResourceName: 'cpu' }),
    deviceClass({ selectors: [{ cel: { expression: 'device.allowMultipleAllocations' } }] }),
  ],
  'device-status': [
    ['POST', claims, resourceClaim(exactly())],
    status(`${claims}/r`, { allocation: { devices: { results: [{ ...result, adminAccess: true }] } } }),
    status(`${claims}/r`, { allocation: { devices: { results: [{ ...result, bindingConditions: ['example.com/ready'] }] } } }),
    status(`${claims}/r`, { devices: [device] }),
    status(`${claims}/r`, {
      allocation: {
        devices: {
          results: [
            {
              ...result,
              bindingConditions: ['example.com/ready'],
              bindingFailureConditions: ['example.com/failed'],
              shareID: '5b4a4d2e-2a4b-4b5e-8d7f-0f8b1e4c7a11',
              consumedCapacity: { memory: '1Gi' },
              tolerations: [{ operator: 'Exists' }],
            },
          ],
        },
        allocationTimestamp: '2020-01-01T00:00:00Z',
      },
    }),
    status(`${claims}/r`, { devices: [{ ...device, device: 'other' }] }),
    status(`${claims}/r`, {
      devices: [
        {
          ...device,
          shareID: '5b4a4d2e-2a4b-4b5e-8d7f-0f8b1e4c7a11',
          data: { a: 1 },
          networkData: { interfaceName: 'eth0', ips: ['10.0.0.1/24'], hardwareAddress: 'aa' },
          conditions: [{ type: 'Ready', status: 'True', reason: 'r', message: 'm', lastTransitionTime: '2020-01-01T00:00:00Z' }],
        },
      ],
    }),
    status(`${claims}/r`, { allocation: null }),
    ['PATCH', '/api/v1/namespaces/NS', { metadata: { labels: { 'resource.kubernetes.io/admin-access': 'true' } } }, merge],
    newClaim(exactly({ adminAccess: true })),
  ],
  'device-authorization': [
    [
      'POST',
      '/apis/rbac.authorization.k8s.io/v1/clusterroles',
      {
        metadata: { name: 'NS' },
        rules: [
          { apiGroups: ['resource.k8s.io'], resources: ['resourceclaims/status'], verbs: ['patch', 'update'] },
          {
            apiGroups: ['resource.k8s.io'],
            resources: ['resourceclaims/driver'],
            resourceNames: ['gates.example.com'],
            verbs: ['associated-node:patch'],
          },
        ],
      },
    ],
    [
      'POST',
      '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
      {
        metadata: { name: 'NS' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'NS' },
        subjects: users,
      },
    ],
    ['POST', claims, resourceClaim(exactly())],
    { until: `${claims}/r`, holds: (claim) => claim.metadata.uid !== undefined },
    allocate({ 'impersonate-user': 'jane' }),
    allocate({ 'impersonate-user': 'gates-user' }),
    allocate(),
    ['PATCH', `${claims}/r/status`, { status: { devices: [device] } }, { ...merge, 'impersonate-user': 'gates-user' }],
    [
      'PATCH',
      `${claims}/r/status`,
      { status: { devices: [device] } },
      {
        ...merge,
        'impersonate-user': driverAccount,
        'impersonate-extra-authentication.kubernetes.io%2Fnode-name': 'n',
      },
    ],
    ['DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterroles/NS'],
    ['DELETE', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/NS'],
  ],
  access: [
    review({ fieldSelector: { requirements: [{ key: 'spec.nodeName', operator: 'In', values: ['n'] }] } }),
    review({ fieldSelector: { rawSelector: 'spec.nodeName=n' }, labelSelector: { rawSelector: 'a in (b,c)' } }),
    review({ fieldSelector: { rawSelector: '===' } }),
    review({ labelSelector: { requirements: [{ key: 'a', operator: 'Nothing' }] } }),
    review({
      labelSelector: { rawSelector: 'a=b', requirements: [{ key: 'a', operator: 'Exists' }] },
    }),
    account,
    [
      'POST',
      `${root}/serviceaccounts/gates/token`,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { uid: '11111111-2222-3333-4444-555555555555' },
        spec: { audiences: ['a'] },
      },
    ],
    [
      'POST',
      `${root}/serviceaccounts/gates/token`,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        metadata: { name: 'other' },
        spec: { audiences: ['a'] },
      },
    ],
    [
      'POST',
      `${root}/serviceaccounts/gates/token`,
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { audiences: ['a'], boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: 'no-such-node' } },
      },
    ],
  ],
  requests: [
    ['POST', `${root}/configmaps`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } }],
    ['DELETE', `${root}/configmaps/a?${dry}&ignoreStoreReadErrorWithClusterBreakingPotential=true`],
    [
      'DELETE',
      `${root}/configmaps/a`,
      { apiVersion: 'v1', kind: 'DeleteOptions', dryRun: ['All'], ignoreStoreReadErrorWithClusterBreakingPotential: true },
    ],
    ['POST', `${root}/configmaps`, 'x', { 'content-type': 'application/cbor' }],
    ['GET', `${root}/configmaps/a`, undefined, { accept: 'application/cbor' }],
    ['GET', `${root}/endpoints?shardSelector=x`],
    ['GET', `${root}/endpoints?shardSelector=shardRange(object.metadata.uid,'0x0','0x8')`],
    account,
    keep('p', { nodeName: 'ns-none' }),
    ['GET', `${root}/pods/p/log?stream=Stdout`],
    ['GET', `${root}/pods/p/log?stream=Nothing`],
  ],
};

export default conversations;
