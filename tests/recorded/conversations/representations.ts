import type { Conversations, Request } from '../conversation.ts';

const C = '/api/v1/namespaces/NS/configmaps';
const meta = (kind: string, version = 'v1', type = 'application/json') => `${type};as=${kind};g=meta.k8s.io;v=${version}`;
const protobuf = 'application/vnd.kubernetes.protobuf';
const ask = (path: string, accept: string): Request => ['GET', path, undefined, { accept }];
const object = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels: { x: 'y' } },
  data: { k: 'v' },
});
const seed: Request = ['POST', C, object('a')];
const list = `${C}?labelSelector=x`;

/** Accept headers on objects and lists. */
const accepts = [
  meta('PartialObjectMetadata'),
  meta('PartialObjectMetadataList'),
  meta('PartialObjectMetadata', 'v1beta1'),
  meta('PartialObjectMetadataList', 'v1beta1'),
  meta('PartialObjectMetadata', 'v2'),
  meta('Table', 'v1', protobuf),
  `${meta('Table', 'v1', protobuf)},application/json`,
  meta('PartialObjectMetadataList', 'v1', protobuf),
  `${meta('PartialObjectMetadataList')},${meta('PartialObjectMetadata')},application/json`,
  'application/json;as=ConfigMap;v=v1',
  'application/json;as=Table',
  'application/json;as=;g=;v=',
  'application/json;stream=watch',
  'application/json;stream=other',
  'application/yaml;stream=watch',
  'application/json;sv=v1',
  'application/json;q=0',
  'APPLICATION/JSON',
  'application/cbor',
  `application/cbor, ${meta('PartialObjectMetadata')};q=0.5, ${meta('PartialObjectMetadataList')};q=0.4`,
  '*',
  'application',
  'application/*',
  '*/*;q=0.9, text/html;q=0.1',
];

const conversations: Conversations = {
  object: [seed, ...accepts.map((accept) => ask(`${C}/a`, accept))],
  list: [
    seed,
    ...accepts
      .filter((accept) => !accept.startsWith(meta('PartialObjectMetadataList', 'v1', protobuf)))
      .map((accept) => ask(list, accept)),
  ],
  empty: [
    ask(`${C}?labelSelector=none`, meta('PartialObjectMetadataList')),
    ask(`${C}?labelSelector=none`, meta('Table')),
    ask(`${C}?labelSelector=none`, 'application/json'),
  ],
  kinds: [
    '/apis/apps/v1/deployments',
    '/apis/events.k8s.io/v1/events',
    '/apis/apiregistration.k8s.io/v1/apiservices',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
    '/apis/discovery.k8s.io/v1/endpointslices',
    '/api/v1/componentstatuses',
  ].map((path) => ask(path, meta('PartialObjectMetadata'))),
  rows: [
    seed,
    ...['Foo', 'none', 'Foo&includeObject=None'].flatMap((include) => [
      ask(`${list}&includeObject=${include}`, meta('Table')),
      ask(`${C}/a?includeObject=${include}`, meta('Table')),
      ask(`${C}/none?includeObject=${include}`, meta('Table')),
      ask(`${C}?watch=1&resourceVersion=0&timeoutSeconds=1&includeObject=${include}`, meta('Table')),
      ask(`${C}/a?includeObject=${include}`, meta('PartialObjectMetadata')),
    ]),
  ],
  writes: [
    ['POST', `${C}?includeObject=Foo`, object('b'), { accept: meta('Table') }],
    ['GET', `${C}/b`],
    ['POST', C, object('c'), { accept: meta('PartialObjectMetadataList') }],
    ['PUT', `${C}/c`, object('c'), { accept: meta('PartialObjectMetadataList') }],
    ['PATCH', `${C}/c`, {}, { accept: meta('PartialObjectMetadataList'), 'content-type': 'application/merge-patch+json' }],
    ['DELETE', `${C}/c`, undefined, { accept: meta('PartialObjectMetadataList') }],
    ['GET', `${C}/c`],
    ['POST', C, object('d'), { accept: 'text/html' }],
    ['GET', `${C}/d`],
    ['POST', C, 'x', { 'content-type': 'application/cbor' }],
    ['DELETE', `${C}?labelSelector=x`, undefined, { accept: meta('PartialObjectMetadata') }],
  ],
};
export default conversations;
