import { describe, expect, it } from 'vitest';
import { stringifyJson } from '../json/stringify.ts';
import { deepCopy, isObject, type JsonObject } from '../json/value.ts';
import type { FieldSet } from '../managed-fields/field-set.ts';
import { internedRecord, recordFromText } from '../managed-fields/managed-fields.ts';
import { createdFields } from './created-fields.ts';
import { excludeFields, type FieldManager, type Versions } from './field-manager.ts';
import type { ObjectMergeSchema } from './merge-schema.ts';
import { quickUpdate } from './quick-update.ts';
import { RandomSchemas } from './random-schemas.ts';
import { trackFully, trackUpdate } from './track-update.ts';

const resets: readonly { subresource: string; reset: FieldSet }[] = [
  { subresource: '', reset: {} },
  { subresource: '', reset: { 'f:status': {} } },
  { subresource: 'status', reset: { 'f:spec': {}, 'f:metadata': { 'f:labels': {} } } },
];

function versionsOf(schema: ObjectMergeSchema, reset: FieldSet): Versions {
  return {
    filter: excludeFields(reset),
    knows: (apiVersion) => apiVersion === 'v1',
    convert: (object, apiVersion) => (apiVersion === 'v1' ? object : undefined),
    mergeSchema: () => schema,
    empty: (apiVersion) => ({ kind: 'Thing', apiVersion, metadata: { creationTimestamp: null }, spec: {} }),
  };
}

/** As decoded from the store. */
function stored(object: JsonObject, record: JsonObject[] | undefined): JsonObject {
  const { managedFields: _, ...metadata } = object.metadata as JsonObject;
  if (record === undefined) return { ...object, metadata };
  return { ...object, metadata: { ...metadata, managedFields: recordFromText(stringifyJson(record))?.entries as JsonObject[] } };
}

interface Step {
  readonly live: JsonObject | undefined;
  readonly next: JsonObject;
  readonly fieldManager: FieldManager;
  readonly versions: Versions;
}

function* steps(random: RandomSchemas): Generator<Step, void, JsonObject[] | undefined> {
  const schema = random.root();
  let live: JsonObject | undefined;
  for (let i = 0; i < 12; i++) {
    const { subresource, reset } = random.pick(live ? resets : resets.slice(0, 2));
    const made = live && random.below(4) > 0 ? random.changedObject(live) : random.members(schema);
    const metadata = { ...(live?.metadata as JsonObject), ...(made.metadata as JsonObject), resourceVersion: String(i) };
    const next: JsonObject = { ...made, apiVersion: 'v1', kind: 'Thing', metadata };
    if (random.below(2) === 0) delete (next.metadata as JsonObject).managedFields;
    const time = `2024-01-01T00:00:0${Math.floor(i / 3)}Z`;
    const fieldManager = { manager: random.pick(['', 'one', 'two']), apiVersion: 'v1', subresource, time };
    const record = yield { live, next, fieldManager, versions: versionsOf(schema, reset) };
    live = stored(next, record);
  }
}

const seeds = Array.from({ length: 100 }, (_, seed) => seed);

describe('fast paths for random objects', () => {
  it('an update yields the same managedFields as comparing field sets', () => {
    let quick = 0;
    for (const seed of seeds) {
      const walk = steps(new RandomSchemas(seed));
      for (let step = walk.next(); !step.done; ) {
        const { live, next, fieldManager, versions } = step.value;
        const record = trackUpdate(live, next, fieldManager, versions);
        const expected = trackFully(live && deepCopy(live), deepCopy(next), false, fieldManager, versions);
        expect(internedRecord(record)?.text, `seed ${seed}`).toBe(expected && stringifyJson(expected));
        expect(stringifyJson(record ?? null)).toBe(stringifyJson(expected ?? null));
        const known = internedRecord((live?.metadata as JsonObject | undefined)?.managedFields);
        if (live && known && quickUpdate(live, next, known, fieldManager, versions)) quick++;
        step = walk.next(record);
      }
    }
    // Otherwise the fast path is not tested.
    expect(quick).toBeGreaterThan(seeds.length);
  });

  it('a creation yields the same managedFields as comparing with the zero object', () => {
    let told = 0;
    for (let seed = 0; seed < 700; seed++) {
      const random = new RandomSchemas(seed);
      const schema = random.root();
      const versions = versionsOf(schema, random.pick<FieldSet>([{}, { 'f:status': {} }]));
      const object: JsonObject = { ...random.members(schema), apiVersion: 'v1', kind: 'Thing' };
      if (!isObject(object.metadata)) continue;
      delete object.metadata.managedFields;
      const fieldManager: FieldManager = { manager: 'one', apiVersion: 'v1', subresource: '', time: '2024-01-01T00:00:00Z' };
      const expected = trackFully(undefined, object, false, fieldManager, versions);
      expect(stringifyJson(trackUpdate(undefined, object, fieldManager, versions) ?? null), `seed ${seed}`).toBe(
        stringifyJson(expected ?? null),
      );
      if (createdFields(object, 'v1', versions) !== undefined) told++;
    }
    expect(told).toBeGreaterThan(350);
  });
});
