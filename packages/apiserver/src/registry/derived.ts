import { encodeProtobuf, humanDuration, type JsonObject, parseJson } from '@tsukube/machinery';
import type { Column, Resource, ServedVersion } from '../resource.ts';
import type { CacheEntry } from '../watchcache/entry.ts';
import { member, metadataSpan, type Span } from './byte-scan.ts';
import { decodeObject, encodeObject } from './stored-form.ts';

/** What readers have learned of an entry, kept beside its bytes for the next one. */
interface Derived {
  labels?: Labels;
  metadata?: Span;
  fields?: Map<ServedVersion, Fields>;
  versions?: Map<ServedVersion, Buffer>;
  protobuf?: Map<ServedVersion, Buffer>;
  cells?: Map<ServedVersion, Cells>;
}

export type Labels = Readonly<Record<string, string>>;
export type Fields = Readonly<Record<string, string>>;

/** The cells of a row, already encoded; a number is a time whose age is to be shown. */
type Cells = readonly (string | number)[];

function derivedOf(entry: CacheEntry): Derived {
  entry.derived ??= {};
  return entry.derived as Derived;
}

const noLabels: Labels = Object.freeze({});
/** Objects that belong together often carry the same labels: one map serves them all. */
const sharedLabels = new Map<string, Labels>();
const maxSharedLabels = 10_000;

export function labelsOf(entry: CacheEntry): Labels {
  const derived = derivedOf(entry);
  derived.labels ??= readLabels(entry.value, metadataOf(entry));
  return derived.labels;
}

function readLabels(bytes: Buffer, metadata: Span): Labels {
  const span = member(bytes, metadata.start, 'labels');
  if (!span) return noLabels;
  const text = bytes.toString('utf8', span.start, span.end);
  let labels = sharedLabels.get(text);
  if (!labels) {
    labels = parseJson(bytes.subarray(span.start, span.end)).value as Record<string, string>;
    if (sharedLabels.size >= maxSharedLabels) sharedLabels.clear();
    sharedLabels.set(text, labels);
  }
  return labels;
}

/** Where metadata stands in the bytes of the hub version. */
export function metadataOf(entry: CacheEntry): Span {
  const derived = derivedOf(entry);
  derived.metadata ??= metadataSpan(entry.value);
  return derived.metadata;
}

/** The values that field selectors may ask for. */
export function fieldsOf(entry: CacheEntry, resource: Resource, version: ServedVersion): Fields {
  const derived = derivedOf(entry);
  derived.fields ??= new Map();
  let fields = derived.fields.get(version);
  if (!fields) {
    fields = readFields(entry, resource, version);
    derived.fields.set(version, fields);
  }
  return fields;
}

function readFields(entry: CacheEntry, resource: Resource, version: ServedVersion): Fields {
  const fields: Record<string, string> = {};
  const rest = entry.key.slice(resource.storagePrefix.length + 1);
  const slash = rest.indexOf('/');
  fields['metadata.name'] = resource.scope === 'Namespaced' ? rest.slice(slash + 1) : rest;
  if (resource.scope === 'Namespaced') fields['metadata.namespace'] = rest.slice(0, slash);
  if (!version.selectableFields) return fields;
  const object = decodeObject(bytesIn(entry, resource, version));
  for (const [name, value] of Object.entries(version.selectableFields)) fields[name] = value(object);
  return fields;
}

/** The object as a client of this version sees it. */
export function bytesIn(entry: CacheEntry, resource: Resource, version: ServedVersion): Buffer {
  if (version === resource.hub || !version.converter) return entry.value;
  const derived = derivedOf(entry);
  derived.versions ??= new Map();
  let bytes = derived.versions.get(version);
  if (!bytes) {
    bytes = Buffer.from(encodeObject(version.converter.fromHub(decodeObject(entry.value))));
    derived.versions.set(version, bytes);
  }
  return bytes;
}

/** The same as a protobuf message, without its envelope. */
export function protobufIn(entry: CacheEntry, version: ServedVersion): Buffer {
  const derived = derivedOf(entry);
  derived.protobuf ??= new Map();
  let bytes = derived.protobuf.get(version);
  if (!bytes) {
    const { catalogue, type } = version.schema;
    bytes = encodeProtobuf(objectIn(entry, version), catalogue.get(type), catalogue);
    derived.protobuf.set(version, bytes);
  }
  return bytes;
}

export function objectIn(entry: CacheEntry, version: ServedVersion): JsonObject {
  const object = decodeObject(entry.value);
  return version.converter ? version.converter.fromHub(object) : object;
}

/** The cells of a table row as JSON. */
export function cellsOf(entry: CacheEntry, version: ServedVersion, columns: readonly Column[], now: number): string {
  const derived = derivedOf(entry);
  derived.cells ??= new Map();
  let cells = derived.cells.get(version);
  if (!cells) {
    const object = objectIn(entry, version);
    cells = columns.map((column) => readCell(column, object));
    derived.cells.set(version, cells);
  }
  let text = '';
  for (const cell of cells) text += `${text === '' ? '[' : ','}${typeof cell === 'number' ? `"${age(cell, now)}"` : cell}`;
  return `${text}]`;
}

function readCell(column: Column, object: JsonObject): string | number {
  const value = column.value(object);
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  return value.age === undefined ? '"<unknown>"' : Date.parse(value.age);
}

function age(time: number, now: number): string {
  return humanDuration(Math.max(0, now - time));
}
