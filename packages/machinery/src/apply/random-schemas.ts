import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { anySchema, deducedSchema, type ListMergeSchema, type MergeSchema, type ObjectMergeSchema } from './merge-schema.ts';

/** Random merge schemas, values for them and slightly changed values, reproducible by seed. For tests. */
export class RandomSchemas {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 2654435761);
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  some<T>(from: readonly T[]): T[] {
    return from.filter(() => this.below(3) > 0);
  }

  root(): ObjectMergeSchema {
    const fields = new Map<string, MergeSchema>([
      ['apiVersion', text],
      ['kind', text],
      ['metadata', metadataSchema],
      ['spec', this.withItems(this.object(2))],
      ['status', this.withItems(this.object(1))],
    ]);
    return { is: 'object', atomic: false, fields, of: this.below(4) === 0 ? deducedSchema : undefined };
  }

  schema(depth: number): MergeSchema {
    if (depth === 0) return this.pick([text, text, number, anySchema, deducedSchema]);
    return this.pick([() => text, () => this.object(depth - 1), () => this.list(depth - 1), () => deducedSchema])();
  }

  object(depth: number): ObjectMergeSchema {
    const fields = new Map(this.some(names).map((name) => [name, this.schema(depth)]));
    const of = this.pick([undefined, undefined, () => this.schema(depth), () => deducedSchema]);
    return { is: 'object', atomic: this.below(8) === 0, fields, of: of?.() };
  }

  withItems(schema: ObjectMergeSchema): ObjectMergeSchema {
    return { ...schema, atomic: false, fields: new Map([...schema.fields, ['items', this.list(1, 'map')]]) };
  }

  list(depth: number, kind: ListMergeSchema['kind'] = this.pick(['atomic', 'set', 'map', 'map'])): ListMergeSchema {
    if (kind !== 'map')
      return { is: 'list', kind, of: kind === 'set' ? text : this.schema(depth), keys: [], defaults: new Map() };
    const item = this.object(depth);
    const fields = new Map<string, MergeSchema>([...item.fields, ['name', text], ['port', number]]);
    const keys = this.pick([['name'], ['name', 'port']]);
    return { is: 'list', kind, of: { ...item, fields }, keys, defaults: this.pick([new Map(), new Map([['port', 80]])]) };
  }

  value(schema: MergeSchema, depth = 0): JsonValue {
    if (this.below(25) === 0) return this.pick<JsonValue>([null, {}, [], 'misfit', ['misfit'], { mis: 'fit' }]);
    switch (schema.is) {
      case 'object':
        return this.members(schema, depth);
      case 'list':
        return Array.from({ length: this.below(4) }, (_, i) => this.item(schema, i, depth + 1));
      case 'scalar':
        return schema.expects === 'string' ? this.pick(texts) : this.below(4);
      default:
        return this.untyped(depth);
    }
  }

  /** Most items get a unique name. */
  item({ kind, of }: ListMergeSchema, position: number, depth: number): JsonValue {
    const item = this.value(of, depth);
    return kind === 'map' && isObject(item) && this.below(8) > 0 ? { ...item, name: names[position] ?? '' } : item;
  }

  members(schema: ObjectMergeSchema, depth = 0): JsonObject {
    const object: JsonObject = {};
    for (const [name, of] of schema.fields) if (this.below(4) > 0) object[name] = this.value(of, depth + 1);
    if (schema.of) for (const key of this.some(keys)) object[key] = this.value(schema.of, depth + 1);
    return object;
  }

  untyped(depth: number): JsonValue {
    if (depth > 6 || this.below(2) === 0) return this.pick<JsonValue>([...texts, 1, true]);
    if (this.below(3) === 0) return [this.untyped(depth + 1)];
    return Object.fromEntries(this.some(keys).map((key) => [key, this.untyped(depth + 1)]));
  }

  /** The same structure with other values; now and then with other members. */
  changed(value: JsonValue): JsonValue {
    if (this.below(3) === 0) return value;
    if (Array.isArray(value)) return this.changedList(value);
    if (isObject(value)) return this.changedObject(value);
    return typeof value === 'string' && this.below(3) === 0 ? this.pick(texts) : value;
  }

  changedList(list: readonly JsonValue[]): JsonValue[] {
    const kept = this.below(20) === 0 ? this.some(list) : list;
    const changed = kept.map((item) => this.changed(item));
    return this.below(20) === 0 ? changed.reverse() : changed;
  }

  changedObject(object: JsonObject): JsonObject {
    const kept = Object.entries(object).filter(() => this.below(30) > 0);
    const changed = kept.map(([key, value]) => [key, this.changed(value)]);
    if (this.below(30) === 0) changed.push([this.pick(keys), 'more']);
    return Object.fromEntries(changed);
  }
}

const text: MergeSchema = { is: 'scalar', expects: 'string' };
const number: MergeSchema = { is: 'scalar', expects: 'numeric' };
const names = ['alpha', 'beta', 'gamma', 'delta'];
const keys = ['b', 'a<b', 'a', '"quoted"', 'é', 'toString', '\u2028'];
const texts = ['', 'one', 'two', 'three & more'];

const mapOf = (of: MergeSchema): ObjectMergeSchema => ({ is: 'object', atomic: false, fields: new Map(), of });
const metadataSchema: ObjectMergeSchema = {
  is: 'object',
  atomic: false,
  of: undefined,
  fields: new Map<string, MergeSchema>([
    ...['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'].map((name) => [name, text] as const),
    ['generation', number],
    ['labels', mapOf(text)],
    ['annotations', mapOf(text)],
    ['finalizers', { is: 'list', kind: 'set', of: text, keys: [], defaults: new Map() }],
    ['managedFields', { is: 'list', kind: 'atomic', of: anySchema, keys: [], defaults: new Map() }],
  ]),
};
