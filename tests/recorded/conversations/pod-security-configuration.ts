import { fileURLToPath } from 'node:url';
import type { StartOptions } from '@tsukube/server';
import type { Conversations, Request } from '../conversation.ts';

/** The recorded kube-apiserver had the same configuration. */
export const options: StartOptions = {
  admissionControlConfigFile: fileURLToPath(new URL('../configuration/pod-security.yaml', import.meta.url)),
};

const core = '/api/v1/namespaces/NS';
const manager = 'fieldManager=m';
const merge = { 'content-type': 'application/merge-patch+json' };
const prefix = 'pod-security.kubernetes.io/';
const exemptUser = { 'impersonate-user': 'exempt-user', 'impersonate-group': 'system:masters' };

const labels = (given: Readonly<Record<string, string | null>>) =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [prefix + name, value]));
const account: Request = ['POST', `${core}/serviceaccounts?${manager}`, { metadata: { name: 'default' } }];
const label = (given: Readonly<Record<string, string | null>>, name = 'NS'): Request => [
  'PATCH',
  `/api/v1/namespaces/${name}?${manager}`,
  { metadata: { labels: labels(given) } },
  merge,
];
const pod = (name: string, spec: object = {}, headers = {}): Request => [
  'POST',
  `${core}/pods?${manager}`,
  {
    metadata: { name },
    spec: { automountServiceAccountToken: false, containers: [{ name: 'c', image: 'i' }], ...spec },
  },
  headers,
];
const deployment = (name: string, headers = {}): Request => [
  'POST',
  `/apis/apps/v1/namespaces/NS/deployments?${manager}`,
  {
    metadata: { name },
    spec: {
      replicas: 0,
      selector: { matchLabels: { app: 'a' } },
      template: { metadata: { labels: { app: 'a' } }, spec: { hostPID: true, containers: [{ name: 'c', image: 'i' }] } },
    },
  },
  headers,
];
const exemptClass: Request = [
  'POST',
  `/apis/node.k8s.io/v1/runtimeclasses?${manager}`,
  { metadata: { name: 'exempt-class' }, handler: 'h' },
];

export default {
  defaults: [
    account,
    pod('denied', { hostPID: true }),
    pod('warned'),
    deployment('warned'),
    label({ enforce: 'restricted' }),
    pod('denied'),
    label({ enforce: 'privileged', warn: 'privileged' }),
    pod('allowed', { hostPID: true }),
    label({ enforce: null, warn: null }),
  ],
  exemptions: [
    account,
    exemptClass,
    pod('user', { hostPID: true }, exemptUser),
    deployment('user', exemptUser),
    pod('class', { hostPID: true, runtimeClassName: 'exempt-class' }),
    label({ enforce: 'restricted' }),
    ['DELETE', '/apis/node.k8s.io/v1/runtimeclasses/exempt-class'],
  ],
  'exempt-namespaces': [
    [
      'POST',
      `/api/v1/namespaces?dryRun=All&${manager}`,
      { metadata: { name: 'exempt-namespace', labels: labels({ enforce: 'restricted', 'warn-version': 'v1.2' }) } },
    ],
    ['POST', `/api/v1/namespaces?${manager}`, { metadata: { name: 'exempt-namespace' } }],
    label({ enforce: 'restricted', audit: 'privileged' }, 'exempt-namespace'),
    label({ 'enforce-version': 'v1.30', audit: 'baseline' }, 'exempt-namespace'),
    label({ enforce: 'privileged' }, 'exempt-namespace'),
    ['DELETE', '/api/v1/namespaces/exempt-namespace'],
  ],
} satisfies Conversations;
