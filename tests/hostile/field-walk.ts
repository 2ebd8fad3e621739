import { builtinTypes } from '@tsukube/api';
import type { Field, FieldType, JsonObject, JsonValue } from '@tsukube/machinery';

/** A field of a kind, and a function that creates objects with a large value in it. */
export interface LargeField {
  /** `spec.containers[].env` */
  readonly name: string;
  /** Equal for fields of types that several kinds share. */
  readonly identity: string;
  readonly isText: boolean;
  /** Only in long runs. */
  readonly isElaborate?: boolean;
  /** A list or map with `count` elements, or a string of `count` characters. */
  objectWith(count: number, text: string): JsonObject;
}

type Wrap = (value: JsonValue) => JsonObject;

/** At this depth the types of Kubernetes are recursive: schemas within schemas. */
const maxDepth = 9;

/** Fields that identify list items; unique values get a list as far as possible through validation. */
const identities = new Set([
  'name',
  'key',
  'type',
  'uid',
  'ip',
  'path',
  'mountPath',
  'devicePath',
  'containerPort',
  'port',
  'image',
]);

/** Every list, map and string of a type and its nested types; a recursive type is entered once. */
export function* largeFields(type: string, wrap: Wrap, at = '', within: readonly string[] = []): Generator<LargeField> {
  if (within.includes(type) || within.length > maxDepth) return;
  for (const field of builtinTypes.get(type).fields.values()) {
    if (field.name === 'kind' || field.name === 'apiVersion' || field.name === 'managedFields') continue;
    const around: Wrap = (value) => wrap({ ...sampleOf(type, 0), [field.name]: value });
    const name = at === '' ? field.name : `${at}.${field.name}`;
    yield* ofValue(field, field.type, around, name, `${type}.${field.name}`, [...within, type]);
  }
}

function* ofValue(
  field: Field,
  type: FieldType,
  wrap: Wrap,
  name: string,
  identity: string,
  within: readonly string[],
): Generator<LargeField> {
  if (type.is === 'string') yield { name, identity, isText: true, objectWith: (count, text) => wrap(repeated(text, count)) };
  else if (type.is === 'bytes') {
    const encoded = (count: number, text: string) => Buffer.from(repeated(text, count)).toString('base64');
    yield { name, identity, isText: true, objectWith: (count, text) => wrap(encoded(count, text)) };
  } else if (type.is === 'object') yield* largeFields(type.ref, wrap, name, within);
  else if (type.is === 'list' || type.is === 'map') {
    const many = (count: number) => (type.is === 'list' ? items(type.of, count) : entries(type.of, count));
    yield { name, identity, isText: false, objectWith: (count) => wrap(many(count)) };
    if (type.of.is === 'object' || type.of.is === 'string') {
      const long = (count: number) => Array.from({ length: Math.ceil(count / 20) }, (_, i) => sampleValue(type.of, i, longText));
      const asList = (count: number) => (type.is === 'list' ? long(count) : Object.fromEntries(long(count).entries()));
      yield {
        name: `${name} of long texts`,
        identity: `${identity} long`,
        isText: false,
        isElaborate: true,
        objectWith: (count) => wrap(asList(count)),
      };
    }
    const one: Wrap = (value) => wrap(type.is === 'list' ? [value] : { key: value });
    yield* ofValue(field, type.of, one, `${name}[]`, `${identity}[]`, within);
  }
}

/** Long enough for backtracking to show, and within most length limits. */
const longText = 'a-'.repeat(120);

function repeated(text: string, characters: number): string {
  return text.repeat(Math.ceil(characters / text.length));
}

function items(type: FieldType, count: number): JsonValue[] {
  return Array.from({ length: count }, (_, i) => sampleValue(type, i));
}

function entries(type: FieldType, count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`example.com/k${i}`, sampleValue(type, i)]));
}

/** An object that is unique by its number. */
function sampleOf(type: string, i: number, text = ''): JsonObject {
  const sample: JsonObject = {};
  for (const { name, type: of, required, enum: values } of builtinTypes.get(type).fields.values()) {
    if (name === 'kind' || name === 'apiVersion' || of.is === 'object' || of.is === 'list' || of.is === 'map') continue;
    if (required || identities.has(name)) sample[name] = values?.[0] ?? sampleValue(of, i, text);
  }
  return sample;
}

function sampleValue(type: FieldType, i: number, text = ''): JsonValue {
  switch (type.is) {
    case 'object':
      return sampleOf(type.ref, i, text);
    case 'list':
      return [sampleValue(type.of, i)];
    case 'map':
      return { a: sampleValue(type.of, i) };
    case 'string':
      return `x${text}${i}`;
    case 'quantity':
      return `${i + 1}`;
    case 'boolean':
      return true;
    case 'bytes':
      return 'AA==';
    case 'time':
    case 'microTime':
      return '2026-01-01T00:00:00Z';
    case 'duration':
      return '1s';
    case 'any':
      return {};
    default:
      return (i % 60_000) + 1;
  }
}
