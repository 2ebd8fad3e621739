import type { Any } from '../../support/client.ts';
import { keys, type LargeRequest, post, times } from './request.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All';

function schema(
  name: string,
  count: number,
  schemaOf: (count: number) => Any,
  version: (count: number) => Any = () => ({}),
): LargeRequest {
  return post(`schema: ${name}`, count, definitions, (n) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'larges.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'larges', singular: 'large', kind: 'Large' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec: schemaOf(n) } } },
          ...version(n),
        },
      ],
    },
  }));
}

export const text = { type: 'string' };
export const list = (items: Any, more: Any = {}) => ({ type: 'array', items, maxItems: 100_000, ...more });
export const rule = (expression: string) => ({ rule: expression, message: 'm' });

/** CRDs with every schema keyword, with many or long values. */
export const schemas: readonly LargeRequest[] = [
  schema('properties', 2_000, (n) => ({ type: 'object', properties: keys(n, () => text) })),
  schema('required', 2_000, (n) => ({ type: 'object', properties: keys(n, () => text), required: times(n, (i) => `k${i}`) })),
  schema('enum', 3_000, (n) => ({ type: 'string', enum: times(n, String) })),
  schema('enum of objects', 1_000, (n) => ({
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    enum: times(n, (i) => ({ a: i })),
  })),
  ...['anyOf', 'oneOf', 'allOf'].map((of) =>
    schema(of, 1_000, (n) => ({ type: 'object', properties: { a: text }, [of]: times(n, (i) => ({ required: [`k${i}`] })) })),
  ),
  schema('not', 200, (n) => ({
    type: 'object',
    ...times(n, (i) => i).reduce<Any>((inner) => ({ not: inner }), { required: ['a'] }),
  })),
  schema('pattern', 2_000, (n) => ({ type: 'string', pattern: '[a-z]'.repeat(n) })),
  schema('pattern of classes', 500, (n) => ({ type: 'string', pattern: '[^d]'.repeat(n) })),
  schema('pattern of alternatives', 2_000, (n) => ({ type: 'string', pattern: times(n, (i) => `a${i}`).join('|') })),
  schema('default', 3_000, (n) => ({ ...list(text), default: times(n, String) })),
  schema('description', 200_000, (n) => ({ type: 'object', description: 'd'.repeat(n) })),
  schema('depth', 100, (n) => times(n, (i) => i).reduce<Any>((inner) => ({ type: 'object', properties: { a: inner } }), text)),
  schema('list-map-keys', 1_000, (n) =>
    list(
      { type: 'object', properties: keys(n, () => text), required: times(n, (i) => `k${i}`) },
      { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': times(n, (i) => `k${i}`) },
    ),
  ),
  schema('validations', 100, (n) => ({
    type: 'object',
    properties: { a: { type: 'integer' } },
    'x-kubernetes-validations': times(n, (i) => rule(`self.a > ${i}`)),
  })),
  schema('a long rule', 500, (n) => ({
    type: 'object',
    properties: { a: { type: 'integer' } },
    'x-kubernetes-validations': [rule(times(n, (i) => `self.a != ${i}`).join(' && '))],
  })),
  schema(
    'printer columns',
    1_000,
    () => text,
    (n) => ({ additionalPrinterColumns: times(n, (i) => ({ name: `c${i}`, type: 'string', jsonPath: `.spec.f${i}` })) }),
  ),
  schema(
    'a long JSONPath',
    1_000,
    () => text,
    (n) => ({ additionalPrinterColumns: [{ name: 'c', type: 'string', jsonPath: '.a'.repeat(n) }] }),
  ),
  schema(
    'scale paths',
    20_000,
    () => text,
    (n) => ({ subresources: { scale: { specReplicasPath: `.spec${'.a'.repeat(n)}`, statusReplicasPath: '.status.a' } } }),
  ),
  schema(
    'selectable fields',
    1_000,
    (n) => ({ type: 'object', properties: keys(n, () => text) }),
    (n) => ({ selectableFields: times(n, (i) => ({ jsonPath: `.spec.k${i}` })) }),
  ),
];
