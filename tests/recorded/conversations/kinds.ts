import type { Conversations, Request } from '../conversation.ts';

const ap = { 'content-type': 'application/apply-patch+yaml' },
  mp = { 'content-type': 'application/merge-patch+json' },
  jp = { 'content-type': 'application/json-patch+json' },
  sp = { 'content-type': 'application/strategic-merge-patch+json' };
const C = '/api/v1/namespaces/NS/configmaps',
  D = '/apis/apps/v1/namespaces/NS/deployments',
  definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  services = '/apis/apiregistration.k8s.io/v1/apiservices';
type Stated = { kind?: string; apiVersion?: string };
const kinds: readonly Stated[] = [
  { kind: 'Foo', apiVersion: 'v1' },
  { kind: 'Secret', apiVersion: 'v1' },
  { kind: 'Deployment', apiVersion: 'apps/v1' },
  { kind: 'PodSpec', apiVersion: 'v1' },
  { kind: 'ConfigMap', apiVersion: 'v2' },
  { kind: 'ConfigMap', apiVersion: 'foo.com/v1' },
  { kind: 'ConfigMap', apiVersion: 'apps/v1' },
  { kind: 'Foo' },
  { apiVersion: 'v2' },
  { apiVersion: 'a/b/c' },
  { kind: 'ConfigMapList', apiVersion: 'v1' },
  { kind: 'Status', apiVersion: 'v1' },
  { kind: 'DeleteOptions', apiVersion: 'apps/v1' },
  { kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1' },
  { kind: 'APIService', apiVersion: 'apiregistration.k8s.io/v1' },
  { kind: 'Ingress', apiVersion: 'extensions/v1beta1' },
  { kind: 'ClusterRole', apiVersion: 'rbac.authorization.k8s.io/v1' },
  { kind: 'Event', apiVersion: 'events.k8s.io/v1' },
];
const named = (stated: Stated, name: string) => ({ ...stated, metadata: { name } });
const operations = (stated: Stated) => Object.entries(stated).map(([key, value]) => ({ op: 'replace', path: `/${key}`, value }));
const dry = '?dryRun=All';
const aboutDeployments: readonly Stated[] = [
  { kind: 'Deployment', apiVersion: 'apps/v1beta1' },
  { kind: 'Deployment', apiVersion: 'apps/v1beta2' },
  { kind: 'Deployment', apiVersion: 'extensions/v1beta1' },
  { kind: 'ReplicaSet', apiVersion: 'apps/v1' },
  { kind: 'ReplicaSet', apiVersion: 'extensions/v1beta1' },
  { kind: 'Scale', apiVersion: 'autoscaling/v1' },
  { kind: 'Scale', apiVersion: 'apps/v1beta1' },
];

const conversations: Conversations = {
  created: kinds.map((stated): Request => ['POST', `${C}${dry}`, named(stated, 'x')]),
  updated: [
    ['POST', C, { metadata: { name: 'c' } }],
    ...kinds.map((stated): Request => ['PUT', `${C}/c${dry}`, named(stated, 'c')]),
  ],
  patched: [
    ['POST', C, { metadata: { name: 'c' } }],
    ...kinds.flatMap((stated): Request[] => [
      ['PATCH', `${C}/c${dry}`, stated, mp],
      ['PATCH', `${C}/c${dry}`, operations(stated), jp],
      ['PATCH', `${C}/c${dry}`, stated, sp],
      ['PATCH', `${C}/c${dry}&fieldManager=x`, named(stated, 'c'), ap],
    ]),
  ],
  elsewhere: [
    ...kinds
      .flatMap((stated): Request[] => [
        ['POST', `${definitions}${dry}`, named(stated, 'x')],
        ['POST', `${services}${dry}`, named(stated, 'x')],
      ])
      .filter(
        ([, path, body]) =>
          !(path.startsWith(definitions) && (body as Stated).kind === 'CustomResourceDefinition') &&
          !(path.startsWith(services) && (body as Stated).kind === 'APIService'),
      ),
    ...aboutDeployments.map((stated): Request => ['POST', `${D}${dry}`, named(stated, 'x')]),
  ],
};
export default conversations;
