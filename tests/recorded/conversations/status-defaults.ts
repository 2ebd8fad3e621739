import type { Any } from '../../support/client.ts';
import type { Conversations, Request, Step } from '../conversation.ts';

const apply = { 'content-type': 'application/apply-patch+yaml' },
  merge = { 'content-type': 'application/merge-patch+json' },
  json = { 'content-type': 'application/json-patch+json' };
const group = 'NS.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  path = (version = 'v1') => `/apis/${group}/${version}/namespaces/NS/things`;
const integer = { type: 'integer' },
  text = { type: 'string' };
const status = (more: object = { default: { observedGeneration: -1 } }) => ({
  type: 'object',
  properties: {
    observedGeneration: integer,
    phase: { ...text, default: 'New' },
    nested: { type: 'object', default: {}, properties: { depth: { ...integer, default: 3 } } },
  },
  ...more,
});
const version = (name: string, more: object = {}, statusSchema: object = status()) => ({
  name,
  served: true,
  storage: name === 'v1',
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { a: text, b: { ...text, default: 'B' } } }, status: statusSchema },
    },
  },
  ...more,
});
const definition = (...versions: object[]) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${group}` },
  spec: { group, scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' }, versions },
});
const thing = (name = 't', more: object = {}, v = 'v1') => ({
  apiVersion: `${group}/${v}`,
  kind: 'Thing',
  metadata: { name },
  spec: { a: 'x' },
  ...more,
});
const established: Step = {
  until: `${definitions}/things.${group}`,
  holds: ({ status }: Any) => status.conditions?.some((c: Any) => c.type === 'Established' && c.status === 'True'),
};
const served = (v = 'v1'): Step => ({ until: path(v), holds: () => true });
const define = (...versions: object[]): Step[] => [['POST', definitions, definition(...versions)], established, served()];
const redefine = (...versions: object[]): Request => ['PATCH', `${definitions}/things.${group}`, { spec: { versions } }, merge];
const end: Step = ['DELETE', `${definitions}/things.${group}`];
const at = (v = 'v1', name = 't') => `${path(v)}/${name}`;
/** Sends an earlier response back unchanged. */
const again =
  (index: number, where = at(), change: (object: Any) => Any = (object) => object): Step =>
  (answers): Request => ['PUT', where, change(structuredClone(answers[index]))];

const conversations: Conversations = {
  written: [
    ...define(version('v1')),
    ['POST', path(), thing()],
    ['GET', at()],
    ['GET', path()],
    ['POST', `${path()}?dryRun=All`, thing('dry', { status: { phase: 'Old' } })],
    ['POST', path(), thing('given', { status: { phase: 'Old' } })],
    again(1),
    // A conflict shows that the first one was written.
    again(1),
    ['PATCH', at(), { spec: { a: 'y' } }, merge],
    ['PATCH', at(), { status: null }, merge],
    ['PATCH', `${at()}/status`, { status: null }, merge],
    ['PATCH', `${at()}/status`, [{ op: 'remove', path: '/status' }], json],
    ['PATCH', `${at()}/status`, { status: { observedGeneration: 4, nested: null } }, merge],
    ['GET', at()],
    ['PATCH', `${at('v1', 'given')}/status`, { status: { phase: 'Next' } }, merge],
    ['GET', `${at('v1', 'given')}/status`],
    ['DELETE', at('v1', 'given')],
    end,
  ],
  unchanged: [
    ...define(version('v1')),
    ['POST', path(), thing()],
    ['PATCH', at(), {}, merge],
    again(1),
    ['PATCH', at(), { metadata: { labels: { a: 'b' } } }, merge],
    again(4),
    again(4),
    end,
  ],
  applied: [
    ...define(version('v1')),
    ['PATCH', `${at()}?fieldManager=one`, thing(), apply],
    ['PATCH', `${at()}?fieldManager=one`, thing(), apply],
    ['PATCH', `${at()}?fieldManager=two`, thing('t', { spec: { b: 'C' } }), { ...apply }],
    ['PATCH', `${at()}?fieldManager=two&force=true`, thing('t', { spec: { b: 'C' } }), apply],
    ['PATCH', `${at()}/status?fieldManager=three`, thing('t', { spec: undefined, status: { phase: 'Set' } }), apply],
    ['PATCH', `${at()}/status?fieldManager=three`, thing('t', { spec: undefined, status: {} }), apply],
    ['GET', at()],
    end,
  ],
  later: [
    ...define(version('v1', {}, status({}))),
    ['POST', path(), thing()],
    redefine(version('v1')),
    { until: at(), holds: ({ status }: Any) => status !== undefined },
    ['GET', at()],
    ['GET', path()],
    ['PATCH', at(), { metadata: { labels: { a: 'b' } } }, merge],
    ['POST', path(), thing('u')],
    redefine(version('v1', {}, status({ default: { observedGeneration: -7 } }))),
    { until: at('v1', 'u'), holds: ({ status }: Any) => status.observedGeneration === -7 },
    ['GET', at()],
    ['GET', at('v1', 'u')],
    end,
  ],
  versions: [
    ...define(version('v1'), version('v2', {}, status({ default: { observedGeneration: -2 } }))),
    ['POST', path(), thing()],
    ['GET', at('v2')],
    ['POST', path('v2'), thing('w', {}, 'v2')],
    ['GET', at('v2', 'w')],
    ['GET', at('v1', 'w')],
    ['PATCH', at('v2'), { metadata: { labels: { a: 'b' } } }, merge],
    ['GET', path('v2')],
    end,
  ],
  migrated: [
    ...define(version('v1', {}, status({})), version('v2', {}, status({}))),
    ['POST', path(), thing()],
    redefine(version('v1', { storage: false }), version('v2', { storage: true })),
    { until: at(), holds: ({ status }: Any) => status !== undefined },
    again(1),
    again(1),
    ['GET', at('v2')],
    end,
  ],
  ruled: [
    ...define({
      ...version('v1'),
      schema: {
        openAPIV3Schema: {
          type: 'object',
          'x-kubernetes-validations': [{ rule: '!has(self.status) || self.spec.a != "x"', message: 'status is here' }],
          properties: { spec: { type: 'object', properties: { a: text } }, status: status() },
        },
      },
    }),
    ['POST', path(), thing()],
    ['PATCH', at(), { metadata: { labels: { a: 'b' } } }, merge],
    ['PATCH', at(), { spec: { a: 'z' } }, merge],
    end,
  ],
};
export default conversations;
