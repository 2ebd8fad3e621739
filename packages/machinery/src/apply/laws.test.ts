import { describe, expect, it } from 'vitest';
import { StatusError } from '../errors/status-error.ts';
import { deepCopy, type JsonObject, type JsonValue } from '../json/value.ts';
import { checkObject, emptyObject } from '../schema/decode.ts';
import type { Field, TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import { trackApply } from './apply.ts';
import { excludeFields, type FieldManager, type Versions } from './field-manager.ts';
import { mergeSchemaOf } from './merge-schema.ts';
import { trackUpdate } from './track-update.ts';

const text = { is: 'string' } as const;
const types: Record<string, Field[]> = {
  Thing: [
    { name: 'kind', type: text },
    { name: 'apiVersion', type: text },
    { name: 'metadata', type: { is: 'object', ref: 'Meta' }, default: {} },
    { name: 'spec', type: { is: 'object', ref: 'Spec' } },
  ],
  Meta: [
    { name: 'name', type: text },
    { name: 'labels', type: { is: 'map', of: text } },
    { name: 'managedFields', type: { is: 'any' } },
  ],
  Spec: [
    { name: 'size', type: { is: 'int32' } },
    { name: 'atomic', type: { is: 'list', of: text }, listType: 'atomic' },
    { name: 'set', type: { is: 'list', of: text }, listType: 'set' },
    {
      name: 'ports',
      type: { is: 'list', of: { is: 'object', ref: 'Port' } },
      listType: 'map',
      listMapKeys: ['port', 'protocol'],
    },
  ],
  Port: [
    { name: 'port', type: { is: 'int32' } },
    { name: 'protocol', type: text, default: 'TCP' },
    { name: 'name', type: text },
  ],
};
const catalogue: TypeCatalogue = {
  get: (name) => ({ name, fields: new Map((types[name] ?? []).map((field) => [field.name, field])) }) as TypeDefinition,
};
const versions: Versions = {
  filter: excludeFields({}),
  knows: () => true,
  convert: (object) => object,
  mergeSchema: () => mergeSchemaOf('Thing', catalogue),
  empty: (apiVersion) => ({ ...emptyObject('Thing', catalogue), kind: 'Thing', apiVersion }),
};

/** A small seeded generator. */
class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed * 2654435761 + 1;
  }
  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }
  some<T>(items: readonly T[]): T[] {
    return items.filter(() => this.below(2) === 1);
  }
}

const by = (manager: string): FieldManager => ({ manager, apiVersion: 'v1', subresource: '', time: '2024-01-01T00:00:00Z' });
/** In stored form. */
const apply = (live: JsonObject | undefined, configuration: JsonObject, manager: string, force = false) =>
  checkObject(trackApply(live, configuration, by(manager), versions, force), catalogue.get('Thing'), catalogue).value;

/**
 * Uses only keys of the given letters, so that configurations can be disjoint. Nothing is empty: empty fields are not
 * stored, so applying them would always be a change.
 */
function configuration(random: Random, letters: readonly string[] = ['a', 'b', 'c']): JsonObject {
  const port = (letter: string): JsonObject => ({
    port: letter.charCodeAt(0),
    ...(random.below(2) === 1 && { protocol: 'TCP' }),
    ...(random.below(2) === 1 && { name: String(random.below(2)) }),
  });
  const labels = Object.fromEntries(random.some(letters).map((key) => [key, String(random.below(3))]));
  const spec = { set: random.some(letters), ports: random.some(letters).map(port) };
  const whole: JsonObject =
    letters.length > 2 && random.below(2) === 1 ? { size: random.below(3), atomic: [String(random.below(2))] } : {};
  return {
    kind: 'Thing',
    apiVersion: 'v1',
    metadata: { name: 'x', ...notEmpty({ labels }) },
    ...notEmpty({ spec: { ...whole, ...notEmpty(spec) } }),
  };
}

function notEmpty(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => Object.keys(value as JsonObject).length > 0));
}

function update(live: JsonObject, change: JsonObject, manager: string): JsonObject {
  const next: JsonObject = { ...deepCopy(change), metadata: { ...(change.metadata as JsonObject) } };
  const record = trackUpdate(live, next, by(manager), versions);
  return { ...next, metadata: { ...(next.metadata as JsonObject), ...(record && { managedFields: record }) } };
}

/** An object written by several managers, by apply and by update. */
function written(random: Random): JsonObject {
  let live = apply(undefined, configuration(random), 'one');
  for (let i = random.below(6); i > 0; i--) {
    const manager = ['one', 'two', 'three'][random.below(3)] as string;
    live =
      random.below(3) === 0 ? update(live, configuration(random), manager) : apply(live, configuration(random), manager, true);
  }
  return live;
}

const withoutRecord = (object: JsonObject) => {
  const { managedFields: _, ...metadata } = object.metadata as JsonObject;
  return { ...object, metadata };
};
const ownersOf = (object: JsonObject) => ((object.metadata as JsonObject).managedFields ?? []) as JsonObject[];
const fieldsOf = (object: JsonObject, manager: string, operation = 'Apply') =>
  ownersOf(object).find((entry) => entry.manager === manager && entry.operation === operation)?.fieldsV1;
/** Without times: applying existing values sets none. */
const sorted = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(sorted).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .filter((key) => key !== 'time')
      .sort()
      .map((key) => [key, sorted(value[key] as JsonValue)]),
  );
};
const seeds = Array.from({ length: 150 }, (_, seed) => seed);

describe('server-side apply to random objects', () => {
  it('applying twice changes nothing', () => {
    for (const seed of seeds) {
      const random = new Random(seed);
      const live = written(random);
      const applied = configuration(random);
      const once = apply(live, applied, 'two', true);
      expect(apply(once, applied, 'two'), `seed ${seed}`).toEqual(once);
    }
  });

  it('two managers with the same values share without a conflict', () => {
    for (const seed of seeds) {
      const random = new Random(seed);
      const applied = configuration(random);
      const once = apply(written(random), applied, 'two', true);
      const both = apply(once, applied, 'four');
      expect(withoutRecord(both), `seed ${seed}`).toEqual(withoutRecord(once));
      expect(fieldsOf(both, 'four')).toEqual(fieldsOf(both, 'two'));
    }
  });

  it('a field that a manager drops is removed unless another manager owns it', () => {
    for (const seed of seeds) {
      const random = new Random(seed);
      const first = apply(undefined, configuration(random, ['a', 'b']), 'one');
      const second = apply(first, configuration(random, ['c', 'd']), 'two');
      const nothing: JsonObject = { kind: 'Thing', apiVersion: 'v1', metadata: { name: 'x' } };
      const dropped = apply(second, nothing, 'one');
      expect(fieldsOf(dropped, 'one'), `seed ${seed}`).toBeUndefined();
      expect(fieldsOf(dropped, 'two')).toEqual(fieldsOf(second, 'two'));
      expect(JSON.stringify(withoutRecord(apply(dropped, nothing, 'two')))).not.toMatch(/"[abcd]"|"port"/);
    }
  });

  it('a conflict changes nothing, and force moves ownership', () => {
    let conflicts = 0;
    for (const seed of seeds) {
      const random = new Random(seed);
      const live = written(random);
      const applied = configuration(random);
      const forced = apply(live, applied, 'four', true);
      try {
        expect(apply(live, applied, 'four'), `seed ${seed}`).toEqual(forced);
      } catch (error) {
        if (!(error instanceof StatusError)) throw error;
        conflicts++;
        expect(error.code).toBe(409);
        for (const cause of error.status.details?.causes ?? []) expect(cause.reason).toBe('FieldManagerConflict');
        expect(ownersOf(forced)).not.toEqual(ownersOf(live));
        expect(fieldsOf(forced, 'four')).toBeDefined();
      }
    }
    expect(conflicts).toBeGreaterThan(15);
  });

  it('the order of independent applies does not matter', () => {
    for (const seed of seeds) {
      const random = new Random(seed);
      const base = apply(undefined, configuration(random, ['e', 'f']), 'one');
      const [left, right] = [configuration(random, ['a', 'b']), configuration(random, ['c', 'd'])];
      const oneWay = apply(apply(base, left, 'two'), right, 'three');
      const otherWay = apply(apply(base, right, 'three'), left, 'two');
      expect(sorted(oneWay), `seed ${seed}`).toEqual(sorted(otherWay));
    }
  });

  it('an update owns exactly the fields it changes', () => {
    for (const seed of seeds) {
      const random = new Random(seed);
      const live = written(random);
      const unchanged = update(live, live, 'four');
      expect(ownersOf(unchanged), `seed ${seed}`).toEqual(ownersOf(live));
      // Fields without managedFields are not tracked.
      if (ownersOf(live).length === 0) continue;
      const labelled = deepCopy(live);
      labelled.metadata = { ...(labelled.metadata as JsonObject), labels: { new: 'x' } };
      expect(fieldsOf(update(live, labelled, 'four'), 'four', 'Update')).toMatchObject({
        'f:metadata': { 'f:labels': { 'f:new': {} } },
      });
    }
  });
});
