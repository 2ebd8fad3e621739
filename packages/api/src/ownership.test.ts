import {
  checkObject,
  deepCopy,
  emptyObject,
  excludeFields,
  type FieldManager,
  internedRecord,
  type JsonObject,
  type JsonValue,
  mergeSchemaOf,
  recordFromText,
  stringifyJson,
  trackFully,
  trackUpdate,
  type Versions,
} from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { type Random, randomNumbers, randomObject } from '../../../tests/support/random-object.ts';
import { builtinTypes as types } from './index.ts';

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const kinds = [...types.names()].filter((name) => {
  const fields = types.get(name).fields;
  const type = fields.get('metadata')?.type;
  return fields.has('kind') && type?.is === 'object' && type.ref === objectMeta;
});

function versionsOf(name: string): Versions {
  return {
    filter: excludeFields({ 'f:status': {} }),
    knows: () => true,
    convert: (object) => object,
    mergeSchema: () => mergeSchemaOf(name, types),
    empty: (apiVersion) => ({ metadata: {}, ...emptyObject(name, types), kind: 'X', apiVersion }),
  };
}

function randomOf(name: string, random: Random): JsonObject {
  const { value } = checkObject(randomObject(name, random), types.get(name), types);
  const { managedFields: _, ...metadata } = (value.metadata ?? {}) as JsonObject;
  return { ...value, kind: 'X', apiVersion: 'v1', metadata };
}

/** Changes some strings at random. */
function edited(value: JsonValue, random: Random): JsonValue {
  if (typeof value === 'string') return random(20) === 0 ? `${value}!` : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => edited(item, random));
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, edited(member, random)]));
}

const written = (record: JsonObject[] | undefined) => stringifyJson(record ?? null);
const by = (manager: string, second: number): FieldManager => ({
  manager,
  apiVersion: 'v1',
  subresource: '',
  time: `2024-01-01T00:00:0${second}Z`,
});

describe('managedFields of built-in kinds', () => {
  it('are the same in one pass as by comparing field sets', () => {
    let kept = 0;
    for (const [seed, name] of kinds.entries()) {
      const random = randomNumbers(seed);
      const versions = versionsOf(name);
      const object = randomOf(name, random);
      let record = trackUpdate(undefined, object, by('one', 0), versions);
      expect(written(record), name).toBe(written(trackFully(undefined, object, false, by('one', 0), versions)));
      for (let second = 1; second < 6 && record; second++) {
        const managedFields = recordFromText(stringifyJson(record))?.entries as JsonObject[];
        const live: JsonObject = { ...object, metadata: { ...(object.metadata as JsonObject), managedFields } };
        const next = edited(object, random) as JsonObject;
        const writer = by(second < 4 ? 'one' : 'two', second);
        const after = trackUpdate(live, next, writer, versions);
        expect(written(after), name).toBe(written(trackFully(deepCopy(live), next, false, writer, versions)));
        if (after === internedRecord(managedFields)?.entries) kept++;
        record = after;
      }
    }
    expect(kinds.length).toBeGreaterThan(80);
    expect(kept).toBeGreaterThan(20);
  });
});
