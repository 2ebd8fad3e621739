import { deepEqual, isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import type { SchemaNode } from '../schema/schema-node.ts';

/** A new value with the old value it replaces, for ratcheting: unchanged values are not validated again (Go's CorrelatedObject). */
export class Correlation {
  readonly value: JsonValue;
  readonly old: JsonValue;
  readonly node: SchemaNode;
  #children: Map<string | number, Correlation | undefined> | undefined;
  #unchanged: boolean | undefined;
  #oldItems: MapItems | undefined;

  constructor(value: JsonValue, old: JsonValue, node: SchemaNode) {
    this.value = value;
    this.old = old;
    this.node = node;
  }

  get unchanged(): boolean {
    this.#unchanged ??= deepEqual(this.value, this.old);
    return this.#unchanged;
  }

  /** Undefined if the field is not in both values, or not in the schema. */
  key(field: string): Correlation | undefined {
    return this.#child(field, () => {
      const { value, old, node } = this;
      if (!isObject(value) || !isObject(old) || !Object.hasOwn(value, field) || !Object.hasOwn(old, field)) return undefined;
      const child = node.properties?.get(field) ?? node.additional;
      return typeof child === 'object' ? new Correlation(value[field] as JsonValue, old[field] as JsonValue, child) : undefined;
    });
  }

  /** Only items of map lists correlate, by their keys. */
  index(position: number): Correlation | undefined {
    return this.#child(position, () => {
      const { value, old, node } = this;
      if (!Array.isArray(value) || !Array.isArray(old) || node.listType !== 'map' || node.items === undefined) return undefined;
      this.#oldItems ??= new MapItems(old, node);
      const counterpart = this.#oldItems.like(value[position]);
      return counterpart === undefined ? undefined : new Correlation(value[position] as JsonValue, counterpart, node.items);
    });
  }

  #child(step: string | number, make: () => Correlation | undefined): Correlation | undefined {
    this.#children ??= new Map();
    if (!this.#children.has(step)) this.#children.set(step, make());
    return this.#children.get(step);
  }
}

/** The items of a map list by their keys; empty for other lists. */
export class MapItems {
  readonly #keys: readonly string[];
  readonly #items = new Map<unknown, JsonObject>();

  constructor(list: readonly JsonValue[], node: SchemaNode) {
    this.#keys = node.type === 'array' && node.listType === 'map' ? node.listMapKeys : [];
    for (const item of list) {
      const identity = this.#identity(item);
      if (identity !== undefined && isObject(item) && !this.#items.has(identity)) this.#items.set(identity, item);
    }
  }

  like(item: JsonValue | undefined): JsonObject | undefined {
    const identity = this.#identity(item);
    return identity === undefined ? undefined : this.#items.get(identity);
  }

  #identity(item: JsonValue | undefined): unknown {
    if (!isObject(item) || this.#keys.length === 0) return undefined;
    const parts: JsonValue[] = [];
    for (const key of this.#keys) {
      const value = Object.hasOwn(item, key) ? item[key] : undefined;
      if (value === undefined || typeof value === 'object') return undefined;
      parts.push(typeof value === 'bigint' ? `${value}n` : value);
    }
    return parts.length === 1 ? parts[0] : JSON.stringify(parts);
  }
}
