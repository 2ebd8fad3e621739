import type { Any } from '../../support/client.ts';
import type { Conversations, Request, Step } from '../conversation.ts';

const apply = { 'content-type': 'application/apply-patch+yaml' },
  merge = { 'content-type': 'application/merge-patch+json' };
const group = 'NS.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  definitionPath = `${definitions}/things.${group}`,
  path = (version: string) => `/apis/${group}/${version}/namespaces/NS/things`,
  at = (version: string, name = 't') => `${path(version)}/${name}`;
const text = { type: 'string' };
/** `added` is in the second version only; `marker` shows which version of the CRD is in use. */
const schema = (version: string, marker: string) => ({
  type: 'object',
  properties: {
    [marker]: { ...text, default: 'seen' },
    spec: {
      type: 'object',
      properties: {
        a: text,
        b: text,
        l: {
          type: 'array',
          items: { type: 'object', properties: { name: text, ...(version !== 'v1' && { added: text }) } },
        },
        ...(version !== 'v1' && { added: text }),
      },
    },
    status: { type: 'object', properties: { phase: text } },
  },
});
const version = (name: string, storage: boolean, marker: string) => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: { openAPIV3Schema: schema(name, marker) },
});
const define = (...versions: object[]): Step[] => [
  [
    'POST',
    definitions,
    {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `things.${group}` },
      spec: { group, scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions },
    },
  ],
  { until: path('v2'), holds: () => true },
];
const redefine = (marker: string, ...versions: object[]): Step[] => [
  ['PATCH', definitionPath, { spec: { versions } }, merge],
  { until: at('v2'), holds: (found: Any) => found[marker] === 'seen' },
];
const both = define(version('v1', true, 'one'), version('v2', false, 'one'));
const put =
  (v: string, change: (object: Any) => void, more = '', manager = 'u'): Step =>
  (answers): Request => {
    const last = structuredClone(answers.findLast((answer: Any) => answer.kind === 'Thing'));
    change(last);
    last.apiVersion = last.apiVersion.replace(/v\d$/, v);
    delete last.metadata.resourceVersion;
    return ['PATCH', `${at(v)}${more}?fieldManager=${manager}`, last, merge];
  };
const keep = () => {};
/** Removes the first version, as after a storage migration. */
const dropFirst: Step[] = [
  ...redefine('two', version('v1', false, 'two'), version('v2', true, 'two')),
  ['PATCH', `${at('v2')}?fieldManager=migrator`, {}, merge],
  ['PATCH', `${definitionPath}/status`, { status: { storedVersions: ['v2'] } }, merge],
  ...redefine('three', version('v2', true, 'three')),
];
const thing = (v: string, spec: object, more: object = {}) => ({
  apiVersion: `${group}/${v}`,
  kind: 'Thing',
  metadata: { name: 't' },
  spec,
  ...more,
});
const applyAs = (manager: string, v: string, spec: object, more = ''): Request => [
  'PATCH',
  `${at(v)}?fieldManager=${manager}${more}`,
  thing(v, spec),
  apply,
];
const patchAs = (manager: string, v: string, change: object, sub = ''): Request => [
  'PATCH',
  `${at(v)}${sub}?fieldManager=${manager}`,
  change,
  merge,
];
const get: Request = ['GET', at('v2')];
const end: Step = ['DELETE', definitionPath];
const label = { metadata: { labels: { x: 'y' } } };

const conversations: Conversations = {
  'applied-then-applied': [
    ...both,
    applyAs('a', 'v1', { a: '1' }),
    patchAs('u', 'v1', { spec: { b: '1' } }),
    ...dropFirst,
    applyAs('a', 'v2', { a: '1' }),
    applyAs('a', 'v2', { a: '2' }, '&force=true'),
    applyAs('b', 'v2', { b: '2' }),
    applyAs('b', 'v2', { b: '2' }, '&dryRun=All'),
    get,
    patchAs('u', 'v2', label),
    get,
    applyAs('a', 'v2', { a: '1' }),
    applyAs('b', 'v2', { b: '2' }),
    end,
  ],
  'updated-then-updated': [
    ...both,
    patchAs('u', 'v1', {}),
    ['POST', `${path('v1')}?fieldManager=u`, thing('v1', { a: '1' })],
    ...dropFirst,
    put('v2', keep),
    get,
    patchAs('u', 'v2', { spec: { a: '2' } }),
    applyAs('b', 'v2', { b: '2' }),
    end,
  ],
  'through-status': [
    ...both,
    applyAs('a', 'v1', { a: '1' }),
    ...dropFirst,
    ['PATCH', `${at('v2')}/status?fieldManager=s`, thing('v2', {}, { status: { phase: 'x' } }), apply],
    patchAs('s', 'v2', { status: { phase: 'x' } }, '/status'),
    ['PATCH', `${at('v2')}/status?fieldManager=s`, thing('v2', {}, { status: { phase: 'y' } }), apply],
    get,
    end,
  ],
  'undeclared-in-live': [
    ...both,
    applyAs('a', 'v1', { a: '1', l: [{ name: 'x' }] }),
    patchAs('u', 'v2', { spec: { l: [{ name: 'x', added: 'y' }] } }),
    get,
    applyAs('a', 'v1', { a: '1', l: [{ name: 'x' }] }),
    applyAs('a', 'v2', { a: '1', l: [{ name: 'x' }] }),
    applyAs('c', 'v2', { added: '1' }),
    patchAs('u', 'v2', label),
    get,
    end,
  ],
  'undeclared-in-stored': [
    ...define(version('v1', false, 'one'), version('v2', true, 'one')),
    applyAs('a', 'v1', { a: '1', l: [{ name: 'x' }] }),
    patchAs('u', 'v2', { spec: { b: '1' } }),
    patchAs('u', 'v2', { spec: { added: '1' } }),
    applyAs('a', 'v1', { a: '1', l: [{ name: 'x' }] }),
    applyAs('c', 'v2', { b: '1' }),
    patchAs('u', 'v1', { spec: { b: '3' } }),
    applyAs('a', 'v2', { a: '1', l: [{ name: 'x', added: '1' }] }),
    applyAs('a', 'v1', { a: '1', b: '3' }),
    applyAs('a', 'v1', { a: '1', b: '3' }, '&force=true'),
    get,
    end,
  ],
  'undeclared-by-others': [
    ...both,
    applyAs('a', 'v1', { a: '1' }),
    applyAs('b', 'v2', { added: '1' }),
    applyAs('b', 'v2', { l: [{ name: 'x', added: 'y' }] }),
    applyAs('b', 'v2', { b: '1' }),
    applyAs('a', 'v2', { added: '1' }),
    applyAs('a', 'v2', { a: '2', b: '1' }),
    get,
    end,
  ],
  'undeclared-in-own': [
    ...both,
    applyAs('a', 'v1', { a: '1' }),
    applyAs('a', 'v2', { added: '1' }),
    applyAs('a', 'v2', { b: '1' }),
    applyAs('a', 'v2', { added: '1' }),
    applyAs('a', 'v1', { a: '1' }),
    get,
    end,
  ],
  sent: [
    ...define(version('v2', true, 'one')),
    [
      'POST',
      `${path('v2')}?fieldManager=u`,
      {
        ...thing('v2', { a: '1' }),
        metadata: {
          name: 't',
          managedFields: [
            {
              manager: 'm',
              operation: 'Update',
              apiVersion: `${group}/v1`,
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': { 'f:b': {} } },
            },
          ],
        },
      },
    ],
    applyAs('a', 'v2', { a: '1' }),
    [
      'PATCH',
      `${at('v2')}?fieldManager=u`,
      {
        metadata: {
          managedFields: [
            {
              manager: 'm',
              operation: 'Apply',
              apiVersion: 'other.example.com/v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:spec': { 'f:a': {} } },
            },
          ],
        },
      },
      merge,
    ],
    get,
    end,
  ],
  'built-in': [
    [
      'POST',
      '/api/v1/namespaces/NS/configmaps?fieldManager=u',
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'c',
          managedFields: [
            {
              manager: 'm',
              operation: 'Update',
              apiVersion: 'v0',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:a': {} } },
            },
            {
              manager: 'n',
              operation: 'Apply',
              apiVersion: 'other.example.com/v1',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:a': {} } },
            },
          ],
        },
        data: { a: '1' },
      },
    ],
    [
      'PATCH',
      '/api/v1/namespaces/NS/configmaps/c?fieldManager=u',
      {
        metadata: {
          managedFields: [
            {
              manager: 'm',
              operation: 'Update',
              apiVersion: 'v0',
              fieldsType: 'FieldsV1',
              fieldsV1: { 'f:data': { 'f:a': {} } },
            },
          ],
        },
      },
      merge,
    ],
    ['PATCH', '/api/v1/namespaces/NS/configmaps/c?fieldManager=u', { data: { b: '1' } }, merge],
    [
      'PATCH',
      '/api/v1/namespaces/NS/configmaps/c?fieldManager=a',
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { a: '2' } },
      apply,
    ],
    ['GET', '/api/v1/namespaces/NS/configmaps/c'],
  ],
};
export default conversations;
