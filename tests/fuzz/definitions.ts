import { definition } from '../support/definitions.ts';

const any = { 'x-kubernetes-preserve-unknown-fields': true };

const widget = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 0, maximum: 100 },
        replicas: { type: 'integer', default: 1 },
        port: { 'x-kubernetes-int-or-string': true },
        color: { type: 'string', enum: ['red', 'green'], default: 'red', nullable: true },
        pattern: { type: 'string', pattern: '^([a-z]+)*$', maxLength: 40 },
        when: { type: 'string', format: 'date-time' },
        items: {
          type: 'array',
          maxItems: 20,
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name'], properties: { name: { type: 'string' }, value: { type: 'number' } } },
        },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
        limits: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
        raw: { type: 'object', ...any },
        embedded: { type: 'object', 'x-kubernetes-embedded-resource': true, ...any },
      },
      'x-kubernetes-validations': [
        { rule: '!has(self.replicas) || self.replicas <= self.size + 10', message: 'too many' },
        { rule: '!has(self.items) || self.items.all(i, i.name.size() < 30)' },
      ],
    },
    status: {
      type: 'object',
      properties: { replicas: { type: 'integer' }, selector: { type: 'string' }, phase: { type: 'string' } },
    },
  },
};

const columns = [
  { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
  { name: 'Items', type: 'string', jsonPath: '.spec.items[*].name' },
  { name: 'When', type: 'date', jsonPath: '.spec.when' },
  { name: 'Raw', type: 'string', jsonPath: '.spec.raw' },
];

const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};
const version = (name: string, storage: boolean) => ({
  name,
  served: true,
  storage,
  schema: { openAPIV3Schema: widget },
  subresources: { status: {}, scale },
  additionalPrinterColumns: columns,
  selectableFields: [{ jsonPath: '.spec.color' }],
});

/** CRDs whose schemas use most keywords, in two versions, and some that preserve unknown fields. */
export const definitions = [
  definition('fuzzwidgets', { group: 'fuzz.example.com', versions: [version('v1', true), version('v1beta1', false)] }),
  definition('fuzzglobals', {
    group: 'fuzz.example.com',
    scope: 'Cluster',
    schema: widget,
    version: { subresources: { status: {} } },
  }),
  definition('fuzzanythings', { group: 'fuzz.example.com' }),
];

const spec = {
  size: 3,
  replicas: 2,
  port: 'http',
  color: 'green',
  pattern: 'abc',
  when: '2026-01-01T00:00:00Z',
  items: [{ name: 'a', value: 1.5 }, { name: 'b' }],
  tags: ['x', 'y'],
  limits: { cpu: 1, memory: '1Gi' },
  raw: { a: [1, { b: null }] },
  embedded: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'inner' } },
};

export const customObjects = [
  { apiVersion: 'fuzz.example.com/v1', kind: 'Fuzzwidget', metadata: { name: 'widget' }, spec },
  { apiVersion: 'fuzz.example.com/v1', kind: 'Fuzzglobal', metadata: { name: 'global' }, spec },
  { apiVersion: 'fuzz.example.com/v1', kind: 'Fuzzanything', metadata: { name: 'anything' }, spec: { a: 1, b: [{}], c: 'd' } },
];
