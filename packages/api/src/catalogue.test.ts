import { describe, expect, it } from 'vitest';
import { parsedTypes as builtinTypes } from './catalogue.ts';

const core = (kind: string) => builtinTypes.get(`io.k8s.api.core.v1.${kind}`);

describe('builtinTypes', () => {
  it('has kind and apiVersion first, then the fields in the order of Go', () => {
    expect([...core('ConfigMap').fields.keys()]).toEqual(['kind', 'apiVersion', 'metadata', 'immutable', 'data', 'binaryData']);
  });

  it('has group, version and kind', () => {
    expect(core('ConfigMap').gvks).toEqual([{ group: '', version: 'v1', kind: 'ConfigMap' }]);
    expect(builtinTypes.get('io.k8s.api.rbac.v1.Role').gvks).toEqual([
      { group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'Role' },
    ]);
    expect(core('ConfigMapKeySelector').gvks).toBeUndefined();
  });

  it('has DeleteOptions in every group', () => {
    const options = builtinTypes.get('io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions');
    expect(options.gvks).toHaveLength(60);
    expect(options.gvks).toContainEqual({ group: 'apps', version: 'v1', kind: 'DeleteOptions' });
  });

  it.each([
    ['Container', 'name', { name: 'name', number: 1, type: { is: 'string' }, required: true, default: '' }],
    [
      'Container',
      'ports',
      {
        name: 'ports',
        number: 6,
        type: { is: 'list', of: { is: 'object', ref: 'io.k8s.api.core.v1.ContainerPort' } },
        listType: 'map',
        listMapKeys: ['containerPort', 'protocol'],
        patchStrategy: 'merge',
        patchMergeKey: 'containerPort',
      },
    ],
    [
      'ServicePort',
      'protocol',
      { name: 'protocol', number: 2, type: { is: 'string' }, default: 'TCP', enum: ['SCTP', 'TCP', 'UDP'] },
    ],
    ['ServicePort', 'targetPort', { name: 'targetPort', number: 4, type: { is: 'intOrString' } }],
    ['Secret', 'data', { name: 'data', number: 2, type: { is: 'map', of: { is: 'bytes' } } }],
    [
      'Service',
      'metadata',
      {
        name: 'metadata',
        number: 1,
        type: { is: 'object', ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
        default: {},
      },
    ],
    ['Probe', 'grpc', { name: 'grpc', number: 4, inlinedIn: [1], type: { is: 'object', ref: 'io.k8s.api.core.v1.GRPCAction' } }],
    ['ResourceQuotaSpec', 'hard', { name: 'hard', number: 1, type: { is: 'map', of: { is: 'quantity' } } }],
  ])('expands %s.%s', (kind, field, expected) => {
    expect(core(kind).fields.get(field)).toEqual(expected);
  });

  it('names the type of untyped fields', () => {
    expect(builtinTypes.get('io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry').fields.get('fieldsV1')?.type).toEqual({
      is: 'any',
      ref: 'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1',
    });
  });

  it('has unions and atomic types', () => {
    expect(core('SeccompProfile').union).toEqual({ discriminator: 'type', fields: { localhostProfile: 'LocalhostProfile' } });
    expect(core('LocalObjectReference').mapType).toBe('atomic');
  });

  it('expands every type and every referenced type', () => {
    const names = [...builtinTypes.names()];
    expect(names).toHaveLength(834);
    for (const name of names)
      for (const { type } of builtinTypes.get(name).fields.values()) {
        const inner = type.is === 'list' || type.is === 'map' ? type.of : type;
        if (inner.is === 'object') expect(builtinTypes.has(inner.ref), `${name} → ${inner.ref}`).toBe(true);
      }
  });

  it('fails for a type that does not exist', () => {
    expect(() => core('Nothing')).toThrow('there is no built-in type io.k8s.api.core.v1.Nothing');
  });
});
