import { describe, expect, expectTypeOf, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/value.ts';
import { controllerOf, isKubeObject, type KubeObject, type ObjectMeta } from './kube-object.ts';

const object: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { key: 'value' } };

describe('KubeObject', () => {
  it('has typed metadata and is a JsonObject', () => {
    expectTypeOf(object.metadata.name).toEqualTypeOf<string | undefined>();
    expectTypeOf(object.metadata.generation).toEqualTypeOf<number | bigint | undefined>();
    expectTypeOf(object.metadata.labels?.app).toEqualTypeOf<string | undefined>();
    expectTypeOf(object.metadata.finalizers).toEqualTypeOf<string[] | undefined>();
    expectTypeOf(object.data).toEqualTypeOf<JsonValue | undefined>();
    expectTypeOf(object).toExtend<JsonObject>();
    expectTypeOf<JsonObject>().not.toExtend<KubeObject>();
  });

  it('is mutable and spreadable', () => {
    const { managedFields: _, ...metadata } = object.metadata;
    const copy: KubeObject = { ...object, metadata: { ...metadata, labels: { app: 'b' } } };
    copy.metadata.resourceVersion = '7';
    delete copy.metadata.name;
    expect(copy).toEqual({ ...object, metadata: { labels: { app: 'b' }, resourceVersion: '7' } });
  });
});

describe('isKubeObject', () => {
  it.each<[JsonValue | undefined, boolean]>([
    [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }, true],
    [{ apiVersion: 'v1', kind: 'ConfigMap' }, false],
    [{ apiVersion: 'v1', metadata: {} }, false],
    [{ apiVersion: 1, kind: 'ConfigMap', metadata: {} }, false],
    [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: [] }, false],
    [[], false],
    [null, false],
    [undefined, false],
  ])('%j: %s', (value, expected) => expect(isKubeObject(value)).toBe(expected));
});

describe('controllerOf', () => {
  const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
  it.each<[ObjectMeta, string | undefined]>([
    [{}, undefined],
    [{ ownerReferences: [owner, { ...owner, uid: 'v', controller: false }] }, undefined],
    [{ ownerReferences: [owner, { ...owner, uid: 'v', controller: true }] }, 'v'],
  ])('%j: %s', (metadata, uid) => expect(controllerOf(metadata)?.uid).toBe(uid));
});
