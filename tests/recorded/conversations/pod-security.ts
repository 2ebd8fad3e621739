import type { Conversations, Request, Step } from '../conversation.ts';

const merge = { 'content-type': 'application/merge-patch+json' };
const strategic = { 'content-type': 'application/strategic-merge-patch+json' };
const apply = { 'content-type': 'application/apply-patch+yaml' };
const core = '/api/v1/namespaces/NS';
const manager = 'fieldManager=m';
const prefix = 'pod-security.kubernetes.io/';

const account: Request = ['POST', `${core}/serviceaccounts?${manager}`, { metadata: { name: 'default' } }];

/** Labels of the namespace; null removes one. */
const label = (labels: Readonly<Record<string, string | null>>): Request => [
  'PATCH',
  `${core}?${manager}`,
  { metadata: { labels: Object.fromEntries(Object.entries(labels).map(([name, value]) => [prefix + name, value])) } },
  merge,
];
const newNamespace = (name: string, labels: Readonly<Record<string, string>>): Request => [
  'POST',
  `/api/v1/namespaces?dryRun=All&${manager}`,
  { metadata: { name, labels: Object.fromEntries(Object.entries(labels).map(([key, value]) => [prefix + key, value])) } },
];

const podSpec = (spec: object = {}) => ({
  automountServiceAccountToken: false,
  containers: [{ name: 'c', image: 'i' }],
  ...spec,
});
const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, ...metadata },
  spec: podSpec(spec),
});
const create = (object: object, query = ''): Request => ['POST', `${core}/pods?${manager}${query}`, object];
const privileged = { containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] };
const restricted = {
  securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  containers: [{ name: 'c', image: 'i', securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } } }],
};
const ownedBy = (uid: string) => ({
  ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'rs', uid, controller: true }],
});

const selector = { matchLabels: { app: 'a' } };
const template = { metadata: { labels: { app: 'a' } }, spec: podSpec({ hostPID: true }) };
const never = { ...template, spec: { ...template.spec, restartPolicy: 'Never' } };
const workload = (path: string, kind: string, content: object): Request => [
  'POST',
  `${path}?${manager}`,
  { apiVersion: path.replace(/^\/apis?\/(.*)\/namespaces\/.*$/, '$1'), kind, metadata: { name: 'w' }, ...content },
];
const apps = '/apis/apps/v1/namespaces/NS';
const batch = '/apis/batch/v1/namespaces/NS';
const workloads: readonly Step[] = [
  workload(`${core}/podtemplates`, 'PodTemplate', { template }),
  workload(`${core}/replicationcontrollers`, 'ReplicationController', { spec: { replicas: 0, template } }),
  workload(`${apps}/replicasets`, 'ReplicaSet', { spec: { replicas: 0, selector, template } }),
  workload(`${apps}/deployments`, 'Deployment', { spec: { replicas: 0, selector, template } }),
  workload(`${apps}/statefulsets`, 'StatefulSet', { spec: { replicas: 0, serviceName: 's', selector, template } }),
  workload(`${apps}/daemonsets`, 'DaemonSet', { spec: { selector, template } }),
  workload(`${batch}/jobs`, 'Job', { spec: { suspend: true, template: never } }),
  workload(`${batch}/cronjobs`, 'CronJob', { spec: { schedule: '0 0 * * *', jobTemplate: { spec: { template: never } } } }),
];
const patchDeployment = (body: object, subresource = ''): Request => [
  'PATCH',
  `${apps}/deployments/w${subresource}?${manager}`,
  body,
  merge,
];

export default {
  labels: [
    newNamespace('NS-a', { enforce: 'none' }),
    newNamespace('NS-a', {
      enforce: '',
      'enforce-version': 'v2.0',
      audit: 'Baseline',
      'audit-version': '1.24',
      warn: 'x',
      'warn-version': 'v1.01',
    }),
    newNamespace('NS-a', { 'enforce-version': 'v1.9223372036854775808' }),
    newNamespace('NS-a', { 'enforce-version': 'v1.9223372036854775807', enforce: 'baseline', warn: 'privileged', unknown: 'x' }),
    label({ enforce: 'none' }),
    label({ 'warn-version': 'v1.x' }),
    label({ enforce: 'baseline', 'enforce-version': 'latest' }),
    label({ enforce: 'restricted', 'enforce-version': 'v1.24' }),
    label({ enforce: null, 'enforce-version': null }),
    ['PATCH', `${core}/status?${manager}`, { metadata: { labels: { [`${prefix}enforce`]: 'none' } } }, merge],
  ],
  pods: [
    account,
    label({ enforce: 'baseline' }),
    create(pod('privileged', privileged)),
    create(pod('privileged', privileged), '&dryRun=All'),
    create(pod('plain', { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] })),
    label({ enforce: 'restricted' }),
    create(pod('plain2')),
    create(pod('restricted', restricted)),
    ['PATCH', `${core}/pods/plain?${manager}`, { metadata: { labels: { a: 'b' } } }, merge],
    ['PATCH', `${core}/pods/plain?${manager}`, { spec: { containers: [{ name: 'c', image: 'j' }] } }, strategic],
    ['PATCH', `${core}/pods/plain/status?${manager}`, { status: { message: 'm' } }, merge],
    ['PATCH', `${core}/pods/restricted?${manager}`, { spec: { containers: [{ name: 'c', image: 'j' }] } }, strategic],
    [
      'PATCH',
      `${core}/pods/restricted/ephemeralcontainers?${manager}`,
      { spec: { ephemeralContainers: [{ name: 'e', image: 'i', securityContext: { privileged: true } }] } },
      strategic,
    ],
    [
      'PATCH',
      `${core}/pods/plain/resize?${manager}`,
      { spec: { containers: [{ name: 'c', resources: { requests: { cpu: '2' } } }] } },
      strategic,
    ],
    ['PATCH', `${core}/pods/applied?${manager}`, pod('applied', privileged), apply],
    ['POST', `${core}/pods/plain/binding`, { metadata: { name: 'plain' }, target: { name: 'n' } }],
    ['DELETE', `${core}/pods/plain?gracePeriodSeconds=0`],
  ],
  modes: [
    account,
    label({ warn: 'restricted' }),
    create(pod('a', privileged)),
    label({ warn: 'baseline', 'warn-version': 'v1.3' }),
    create(pod('b', privileged)),
    label({ warn: null, 'warn-version': 'v1.7', enforce: 'baseline' }),
    create(pod('c', { hostIPC: true })),
    create(pod('d')),
    label({ 'enforce-version': 'v1.99', warn: 'privileged' }),
    create(pod('e', { hostNetwork: true })),
    label({ enforce: 'restricted', 'enforce-version': 'v1.7', audit: 'restricted' }),
    create(pod('f')),
    create(pod('g', { securityContext: { runAsNonRoot: true } })),
    label({ enforce: 'privileged', warn: 'privileged', audit: 'privileged' }),
    create(pod('h', privileged)),
  ],
  details: [
    account,
    label({ enforce: 'restricted', 'warn-version': 'v1.0' }),
    create(
      pod(
        'all',
        {
          hostNetwork: true,
          hostPID: true,
          securityContext: {
            runAsNonRoot: false,
            runAsUser: 0,
            appArmorProfile: { type: 'Unconfined' },
            seccompProfile: { type: 'Unconfined' },
            seLinuxOptions: { type: 'spc_t', user: 'u', role: 'r' },
            sysctls: [
              { name: 'kernel.msgmax', value: '1' },
              { name: 'fs.mqueue.msg_max', value: '1' },
            ],
          },
          volumes: [
            { name: 'h', hostPath: { path: '/h' } },
            { name: 'n', nfs: { server: 's', path: '/n' } },
            { name: 'e', emptyDir: {} },
          ],
          initContainers: [
            {
              name: 'b',
              image: 'i',
              securityContext: { privileged: true, runAsUser: 0, capabilities: { add: ['SYS_ADMIN', 'CHOWN'] } },
            },
          ],
          containers: [
            {
              name: 'a',
              image: 'i',
              ports: [
                { containerPort: 80, hostPort: 80 },
                { containerPort: 9, hostPort: 9 },
              ],
              livenessProbe: { httpGet: { host: 'h.example', port: 80 } },
              lifecycle: { preStop: { tcpSocket: { host: '127.0.0.1', port: 80 } } },
              securityContext: { capabilities: { add: ['NET_RAW'] }, seLinuxOptions: { type: 'container_engine_t' } },
            },
          ],
        },
        { annotations: { 'seccomp.security.alpha.kubernetes.io/pod': 'unconfined' } },
      ),
    ),
    label({ enforce: 'restricted', 'enforce-version': 'v1.30' }),
    create(
      pod('windows', {
        os: { name: 'windows' },
        securityContext: { runAsNonRoot: true, windowsOptions: { hostProcess: true } },
        hostNetwork: true,
      }),
    ),
    create(pod('users', { hostUsers: false, securityContext: { runAsUser: 0 } })),
    label({ 'enforce-version': 'latest' }),
    create(pod('users', { hostUsers: false, securityContext: { runAsUser: 0 } })),
  ],
  existing: [
    account,
    create(pod('b', privileged)),
    create(pod('a', privileged)),
    create(pod('c', { ...privileged, hostPID: true })),
    create(pod('restricted', restricted)),
    create(pod('r1', { hostIPC: true }, ownedBy('u1'))),
    create(pod('r2', { hostIPC: true }, ownedBy('u1'))),
    create(pod('r3', { hostIPC: true }, ownedBy('u1'))),
    create(pod('r4', { hostIPC: true }, ownedBy('u2'))),
    label({ enforce: 'baseline' }),
    label({ enforce: 'restricted' }),
    label({ enforce: 'restricted', 'enforce-version': 'v1.0' }),
    label({ enforce: 'baseline' }),
    label({ 'enforce-version': 'v1.1', audit: 'restricted' }),
    label({ enforce: 'privileged' }),
  ],
  workloads: [
    ...workloads.slice(0, 1),
    label({ enforce: 'restricted', warn: 'baseline' }),
    ...workloads,
    patchDeployment({ metadata: { labels: { a: 'b' } } }),
    patchDeployment({ spec: { replicas: 0 } }, '/scale'),
    patchDeployment({ status: { observedGeneration: 1 } }, '/status'),
    label({ warn: 'privileged' }),
    patchDeployment({ metadata: { labels: { a: 'c' } } }),
    label({ warn: null }),
    patchDeployment({ metadata: { labels: { a: 'd' } } }),
  ],
} satisfies Conversations;
