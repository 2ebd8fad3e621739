import { FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { customResourceDefinition } from './custom-resource-definition.ts';

const { strategy, hub } = customResourceDefinition;
const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
const spec = { group: 'a.b', scope: 'Cluster', names: { plural: 'xs', kind: 'X' }, versions: [version] };

function prepared(given: JsonObject): JsonObject {
  const object: JsonObject = { metadata: { name: 'xs.a.b' }, spec: structuredClone(given) };
  strategy.applyDefaults?.(object as KubeObject);
  strategy.prepareForCreate?.(object as KubeObject, { name: 'u', groups: [] }, customResourceDefinition.hub);
  return object;
}

function fieldsWrong(given: JsonObject): readonly string[] {
  const errors = new FieldErrors();
  strategy.validateCreate?.(prepared(given) as KubeObject, errors, hub);
  return errors.list.map(({ field }) => field);
}

describe('CustomResourceDefinition', () => {
  it('applies defaults', () => {
    expect(prepared(spec)).toMatchObject({
      spec: { names: { singular: 'x', listKind: 'XList' }, conversion: { strategy: 'None' } },
      status: { storedVersions: ['v1'] },
    });
  });

  const columns = [{ name: 'C', type: 'string', jsonPath: 'spec' }];
  const other = { ...version, name: 'v2', storage: false };
  it.each<[string, JsonObject, string[]]>([
    ['without errors', spec, []],
    ['with another plural', { ...spec, names: { plural: 'ys', kind: 'X' } }, ['metadata.name']],
    ['without a scope', { ...spec, scope: '' }, ['spec.scope']],
    [
      'with a column that all versions have',
      { ...spec, versions: [{ ...version, additionalPrinterColumns: columns }] },
      ['spec.additionalPrinterColumns[0].JSONPath'],
    ],
    [
      'with a column of one version',
      { ...spec, versions: [version, { ...other, additionalPrinterColumns: columns }] },
      ['spec.versions[1].additionalPrinterColumns[0].JSONPath'],
    ],
    ['of a protected group', { ...spec, group: 'k8s.io' }, ['metadata.name', 'metadata.annotations[api-approved.kubernetes.io]']],
  ])('%s', (_title, given, fields) => expect(fieldsWrong(given)).toEqual(fields));

  it('adds storage versions to status.storedVersions', () => {
    const old = prepared({ ...spec, versions: [version, other] });
    const versions = [
      { ...version, storage: false },
      { ...other, storage: true },
    ];
    const object: JsonObject = { ...structuredClone(old), spec: { ...spec, versions } };
    strategy.prepareForUpdate?.(object as KubeObject, old as KubeObject, customResourceDefinition.hub);
    expect(object.status).toMatchObject({ storedVersions: ['v1', 'v2'] });
    expect(old.status).toMatchObject({ storedVersions: ['v1'] });
  });
});
