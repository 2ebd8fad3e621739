import { memoize } from '../../cache/bounded-cache.ts';
import { deepEqual, type JsonObject, type JsonValue } from '../../json/value.ts';
import { goTypeText } from '../../text/go-value.ts';
import { type CelSchema, valuesOf, withTypeAndObjectMeta } from '../types/declared-type.ts';
import { unknownType } from '../types/type.ts';
import { readersOfFormats } from './json-formats.ts';
import { JsonArray, JsonMapList, JsonSetList } from './json-list.ts';
import { JsonProperties, JsonRecord } from './json-map.ts';
import { CelDouble, CelError, CelMap, CelOpaque, type CelValue, noSuchOverload } from './value.ts';
/** Converts a JSON value to a CEL value; nested values are converted on access. */
export type JsonReader = (value: JsonValue) => CelValue;

/**
 * Returns the reader for a schema. A value that does not match its schema becomes an error value. The root of a resource has
 * its type meta and names even if the schema lacks them.
 */
export function jsonReader(schema: CelSchema, resourceRoot = false): JsonReader {
  return resourceRoot ? rootReaderOf(schema) : readerOf(schema);
}

const readerOf = memoize((schema: CelSchema) => makeReader(schema));
const rootReaderOf = memoize((schema: CelSchema) => makeReader(withTypeAndObjectMeta(schema)));

const notNullable = new CelError('invalid data, got null for schema with nullable=false');

function makeReader(schema: CelSchema): JsonReader {
  const whenNull = schema.nullable ? null : notNullable;
  const read = makeReaderOfPresent(schema);
  return (value) => (value === null || value === undefined ? whenNull : read(value));
}

function makeReaderOfPresent(schema: CelSchema): JsonReader {
  if (schema['x-kubernetes-int-or-string']) return readIntOrString;
  switch (schema.type) {
    case 'object':
      return objectReader(schema);
    case 'array':
      return arrayReader(schema);
    case 'string':
      return stringReader(schema);
    case 'number':
      return readNumber;
    case 'integer':
      return readInteger;
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : unexpected('bool', value));
    default:
      return schema['x-kubernetes-preserve-unknown-fields'] ? (value) => new PreservedValue(value) : () => typeless(schema);
  }
}

function readIntOrString(value: JsonValue): CelValue {
  if (typeof value === 'string' || typeof value === 'bigint' || Number.isInteger(value)) return value as CelValue;
  return new CelError('invalid data, expected XIntOrString value to be either a string or integer');
}

function readNumber(value: JsonValue): CelValue {
  return typeof value === 'number' || typeof value === 'bigint' ? new CelDouble(Number(value)) : unexpected('float', value);
}

function readInteger(value: JsonValue): CelValue {
  return Number.isInteger(value) || typeof value === 'bigint' ? (value as CelValue) : unexpected('int', value);
}

function stringReader({ format }: CelSchema): JsonReader {
  const read = format === undefined ? undefined : readersOfFormats.get(format);
  if (read === undefined) return (value) => (typeof value === 'string' ? value : unexpected('string', value));
  return (value) => (typeof value === 'string' ? read(value) : unexpected('string', value));
}

function unexpected(wanted: string, value: JsonValue): CelError {
  return new CelError(`invalid data, expected ${wanted}, got ${goTypeText(value)}`);
}

function typeless({ type = '' }: CelSchema): CelError {
  return new CelError(
    'invalid type, expected object, array, number, integer, boolean or string, or no type with x-kubernetes-int-or-string ' +
      `or x-kubernetes-preserve-unknown-fields is true, got ${type}`,
  );
}

function objectReader(schema: CelSchema): JsonReader {
  const wrap = objectWrapper(schema);
  const wrong = new CelError('invalid data, expected a map for the provided schema with type=object');
  return (value) => (typeof value === 'object' && !Array.isArray(value) ? wrap(value as JsonObject) : wrong);
}

function objectWrapper(schema: CelSchema): (value: JsonObject) => CelValue {
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  if (embedded || schema.properties !== undefined) {
    const readerOf = lazyReaders((embedded ? withTypeAndObjectMeta(schema) : schema).properties ?? {});
    return (value) => new JsonProperties(value, readerOf);
  }
  const values = valuesOf(schema);
  if (values === undefined) return (value) => new JsonRecord(value, undefined);
  return (value) => new JsonRecord(value, jsonReader(values));
}

function lazyReaders(properties: { readonly [name: string]: CelSchema }): (name: string) => JsonReader | undefined {
  const known = new Map<string, JsonReader>();
  return (name) => {
    const reader = known.get(name);
    if (reader !== undefined || !Object.hasOwn(properties, name)) return reader;
    const made = jsonReader(properties[name] as CelSchema);
    known.set(name, made);
    return made;
  };
}

function arrayReader(schema: CelSchema): JsonReader {
  const { items } = schema;
  if (items === undefined) return () => new CelError('invalid array type, expected Items with a non-empty Schema');
  const wrong = new CelError('invalid data, expected an array for the provided schema with type=array');
  const wrap = arrayWrapper(schema, jsonReader(items));
  return (value) => (Array.isArray(value) ? wrap(value) : wrong);
}

function arrayWrapper(schema: CelSchema, reader: JsonReader): (value: JsonValue[]) => CelValue {
  const listType = schema['x-kubernetes-list-type'] ?? 'atomic';
  switch (listType) {
    case 'atomic':
      return (value) => new JsonArray(value, reader);
    case 'set':
      return (value) => new JsonSetList(value, reader);
    case 'map': {
      const keys = schema['x-kubernetes-list-map-keys'] ?? [];
      return (value) => new JsonMapList(value, reader, keys);
    }
    default:
      return () => new CelError(`invalid x-kubernetes-list-type, expected 'map', 'set' or 'atomic' but got ${listType}`);
  }
}

/** Data below x-kubernetes-preserve-unknown-fields: supports only equality. */
class PreservedValue extends CelOpaque {
  readonly type = unknownType;
  readonly raw: JsonValue;
  constructor(raw: JsonValue) {
    super();
    this.raw = raw;
  }
  equals(other: CelValue): CelValue {
    return other instanceof PreservedValue && deepEqual(this.raw, other.raw);
  }
}

/** Converts JSON without a schema: integral numbers become integers. */
export function dynamicJson(value: JsonValue): CelValue {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : new CelDouble(value);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value) ? new JsonArray(value, dynamicJson) : new DynamicMap(value);
}

class DynamicMap extends CelMap {
  readonly raw: JsonObject;
  #size = -1;

  constructor(raw: JsonObject) {
    super();
    this.raw = raw;
  }

  get size(): number {
    if (this.#size < 0) this.#size = Object.keys(this.raw).length;
    return this.#size;
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return key instanceof CelMap ? noSuchOverload : undefined;
    return Object.hasOwn(this.raw, key) ? dynamicJson(this.raw[key] as JsonValue) : undefined;
  }

  keys(): readonly CelValue[] {
    return Object.keys(this.raw);
  }
}
