import type { Any } from '../../support/client.ts';
import type { Conversations, Request, Step } from '../conversation.ts';

const ap = { 'content-type': 'application/apply-patch+yaml' },
  mp = { 'content-type': 'application/merge-patch+json' };
const group = 'NS.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  T = `/apis/${group}/v1/namespaces/NS/things`;
const text = { type: 'string' };
const item = (more: object = {}) => ({
  type: 'object',
  required: ['name'],
  properties: { name: text, value: text, tags: { type: 'array', items: text } },
  ...more,
});
type Kinds = { list?: string; set?: string; map?: string; object?: string; inner?: string };
const schema = (generation: string, { list, set, map, object, inner }: Kinds) => ({
  type: 'object',
  properties: {
    [generation]: { type: 'string', default: 'seen' },
    spec: {
      type: 'object',
      properties: {
        list: { type: 'array', ...listType(list), items: item(inner ? { 'x-kubernetes-map-type': inner } : {}) },
        set: { type: 'array', ...listType(set), items: text },
        map: { type: 'object', additionalProperties: text, ...mapType(map) },
        object: {
          type: 'object',
          properties: { a: text, b: text, deep: { type: 'object', properties: { c: text } } },
          ...mapType(object),
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, ...mapType(map) },
      },
    },
  },
});
const listType = (type = 'atomic') => ({
  'x-kubernetes-list-type': type,
  ...(type === 'map' && { 'x-kubernetes-list-map-keys': ['name'] }),
});
const mapType = (type?: string) => (type ? { 'x-kubernetes-map-type': type } : {});
const definition = (generation: string, kinds: Kinds) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema(generation, kinds) } }],
  },
});
const thing = (spec: object) => ({ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 't' }, spec });
const granular: Kinds = { list: 'map', set: 'set' };
const atomic: Kinds = { map: 'atomic', object: 'atomic' };
const full = {
  list: [
    { name: 'x', value: '1', tags: ['p'] },
    { name: 'y', value: '1' },
  ],
  set: ['one', 'two'],
  map: { k: 'v', l: 'w' },
  object: { a: '1', deep: { c: '1' } },
  free: { any: { thing: 1 } },
};
const others = { list: [{ name: 'z', value: '2' }], set: ['three'], map: { m: 'n' }, object: { b: '2' }, free: { other: [1] } };
const get: Request = ['GET', `${T}/t`];
const defined = (kinds: Kinds): Step[] => [['POST', definitions, definition('one', kinds)], { until: T, holds: () => true }];
/** Waits until reads have the default of the new schema. */
const changed = (generation: string, kinds: Kinds): Step[] => [
  ['PATCH', `${definitions}/things.${group}`, { spec: definition(generation, kinds).spec }, mp],
  { until: `${T}/t`, holds: (found: Any) => found[generation] === 'seen' },
];
const removed: Request = ['DELETE', `${definitions}/things.${group}`];
const written: Request[] = [
  ['PATCH', `${T}/t?fieldManager=a`, thing(full), ap],
  ['PATCH', `${T}/t?fieldManager=b`, thing(others), ap],
  ['PATCH', `${T}/t?fieldManager=u`, { spec: { map: { up: 'date' }, object: { b: '3' }, free: { u: 1 } } }, mp],
  get,
];
const after: Request[] = [
  ['PATCH', `${T}/t?fieldManager=nobody&dryRun=All`, {}, mp],
  ['PATCH', `${T}/t?fieldManager=labels`, { metadata: { labels: { a: 'b' } } }, mp],
  ['PATCH', `${T}/t?fieldManager=a`, thing(full), ap],
  ['PATCH', `${T}/t?fieldManager=a&force=true`, thing(full), ap],
  ['PATCH', `${T}/t?fieldManager=b`, thing(others), ap],
  ['PATCH', `${T}/t?fieldManager=b&force=true`, thing({ list: others.list, set: others.set }), ap],
  ['PATCH', `${T}/t?fieldManager=u`, { spec: { map: { up: null }, object: { a: '9' }, list: [{ name: 'q' }] } }, mp],
  ['PATCH', `${T}/t?fieldManager=a`, thing({}), ap],
  get,
];
const conversations: Conversations = {
  'granular-to-atomic': [...defined(granular), ...written, ...changed('two', atomic), ...after, removed],
  'atomic-to-granular': [...defined(atomic), ...written.slice(0, 1), ...changed('two', granular), ...after, removed],
  'items-become-atomic': [
    ...defined(granular),
    ...written,
    ...changed('two', { ...granular, inner: 'atomic' }),
    ...after,
    removed,
  ],
  'set-to-atomic': [...defined(granular), ...written, ...changed('two', { list: 'map' }), ...after, removed],
  'list-to-set': [...defined({ list: 'map' }), ...written.slice(0, 1), ...changed('two', granular), ...after, removed],
};
export default conversations;
