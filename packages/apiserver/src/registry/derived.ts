import { BoundedCache, encodeProtobuf, humanDuration, type JsonObject, type KubeObject, parseJson } from '@tsukube/machinery';
import type { CacheEntry } from '../watchcache/entry.ts';
import { nameOfKey } from './object-meta.ts';
import type { AgeCell, Column, Resource, ServedVersion } from './resource.ts';
import { decodeObject, encodeObject, member, metadataSpan, type Span } from './stored-form.ts';

/** Values derived from an entry's bytes, cached with the entry. */
interface Derived {
  labels?: Labels;
  metadata?: Span;
  fields?: Map<ServedVersion, FieldValues>;
  versions?: Map<ServedVersion, Buffer>;
  protobuf?: Map<ServedVersion, Buffer>;
  cells?: Map<ServedVersion, Cells>;
}

export type Labels = Readonly<Record<string, string>>;
export type FieldValues = Readonly<Record<string, string>>;

/** The encoded cells of a row; a number is a time whose age is rendered. Followed by the row's conditions. */
interface Cells {
  readonly cells: readonly (string | number | AgeCell)[];
  readonly conditions: string;
}

function derivedOf(entry: CacheEntry): Derived {
  entry.derived ??= {};
  return entry.derived as Derived;
}

/** Drops encodings, which are as large as the object; labels and fields for selectors stay. */
export function forgetEncodings(entry: CacheEntry): void {
  const derived = entry.derived as Derived | undefined;
  if (derived) derived.versions = derived.protobuf = derived.cells = undefined;
}

/** A costly derivation for lists and watches: a protobuf message, table cells, the object in another version. */
export type Derivation = 'protobuf' | 'cells' | 'version';

const derivations = { protobuf: 'protobuf', cells: 'cells', version: 'versions' } as const;

export function isDerived(entry: CacheEntry, version: ServedVersion, what: Derivation): boolean {
  return (entry.derived as Derived | undefined)?.[derivations[what]]?.has(version) ?? false;
}

export function derive(entry: CacheEntry, resource: Resource, version: ServedVersion, what: Derivation): void {
  if (what === 'protobuf') protobufIn(entry, version);
  else if (what === 'cells') rowOf(entry, version, columnsOfVersion(version));
  else bytesIn(entry, resource, version);
}

/** The derivation as bytes, for `adoptDerived` on another thread. */
export function derivedBytes(entry: CacheEntry, resource: Resource, version: ServedVersion, what: Derivation): Buffer {
  if (what === 'protobuf') return protobufIn(entry, version);
  if (what === 'version') return bytesIn(entry, resource, version);
  return Buffer.from(JSON.stringify(rowOf(entry, version, columnsOfVersion(version))));
}

export function adoptDerived(entry: CacheEntry, version: ServedVersion, what: Derivation, bytes: Buffer): void {
  const derived = derivedOf(entry);
  if (what === 'cells') {
    derived.cells ??= new Map();
    derived.cells.set(version, JSON.parse(bytes.toString()) as Cells);
  } else {
    const encodings = derivations[what] as 'protobuf' | 'versions';
    derived[encodings] ??= new Map();
    derived[encodings]?.set(version, bytes);
  }
}

const noLabels: Labels = Object.freeze({});
/** Objects of a workload often have equal labels, which share one object. */
const sharedLabels = new BoundedCache<string, Labels>({ entries: 10_000 });

export function labelsOf(entry: CacheEntry): Labels {
  const derived = derivedOf(entry);
  derived.labels ??= readLabels(entry.value, metadataSpanOf(entry));
  return derived.labels;
}

function readLabels(bytes: Buffer, metadata: Span): Labels {
  const span = member(bytes, metadata.start, 'labels');
  if (!span) return noLabels;
  const text = bytes.toString('utf8', span.start, span.end);
  let labels = sharedLabels.get(text);
  if (!labels) {
    labels = parseJson(bytes.subarray(span.start, span.end)).value as Record<string, string>;
    sharedLabels.set(text, labels);
  }
  return labels;
}

/** The position of metadata in the bytes of the hub version. */
export function metadataSpanOf(entry: CacheEntry): Span {
  const derived = derivedOf(entry);
  derived.metadata ??= metadataSpan(entry.value);
  return derived.metadata;
}

/** The values of selectable fields. */
export function fieldsOf(entry: CacheEntry, resource: Resource, version: ServedVersion): FieldValues {
  const derived = derivedOf(entry);
  derived.fields ??= new Map();
  let fields = derived.fields.get(version);
  if (!fields) {
    fields = readFields(entry, resource, version);
    derived.fields.set(version, fields);
  }
  return fields;
}

function readFields(entry: CacheEntry, resource: Resource, version: ServedVersion): FieldValues {
  const { namespace, name } = nameOfKey(resource, entry.key);
  const fields: Record<string, string> = { 'metadata.name': name };
  if (resource.scope === 'Namespaced') fields['metadata.namespace'] = namespace;
  if (!version.selectableFields) return fields;
  const object = decodeObject(bytesIn(entry, resource, version));
  for (const [field, value] of Object.entries(version.selectableFields)) fields[field] = value(object);
  return fields;
}

/** The object's JSON in a version. */
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

/** The object's protobuf message in a version, without the envelope. */
export function protobufIn(entry: CacheEntry, version: ServedVersion): Buffer {
  const derived = derivedOf(entry);
  derived.protobuf ??= new Map();
  let bytes = derived.protobuf.get(version);
  if (!bytes) {
    const { catalogue, type } = version.schema;
    bytes = encodeProtobuf(typedPart(objectInVersion(entry, version), version), catalogue.get(type), catalogue);
    derived.protobuf.set(version, bytes);
  }
  return bytes;
}

/** Custom objects have no protobuf form except for their metadata. */
function typedPart(object: KubeObject, { schema }: ServedVersion): JsonObject {
  return schema.form ? { metadata: object.metadata } : object;
}

export function objectInVersion(entry: CacheEntry, version: ServedVersion): KubeObject {
  const object = decodeObject(entry.value);
  return version.converter ? (version.converter.fromHub(object) as KubeObject) : object;
}

/** The cells of a table row as JSON, with its conditions if any: `[…],"conditions":[…]`. */
export function cellsOf(entry: CacheEntry, version: ServedVersion, columns: readonly Column[], now: number): string {
  const row = rowOf(entry, version, columns);
  let text = '';
  for (const cell of row.cells) text += `${text === '' ? '[' : ','}${typeof cell === 'string' ? cell : ageText(cell, now)}`;
  return `${text}]${row.conditions}`;
}

function rowOf(entry: CacheEntry, version: ServedVersion, columns: readonly Column[]): Cells {
  const derived = derivedOf(entry);
  derived.cells ??= new Map();
  let row = derived.cells.get(version);
  if (!row) {
    row = readRow(objectInVersion(entry, version), version, columns);
    derived.cells.set(version, row);
  }
  return row;
}

/** The columns of kinds without columns. */
const defaultColumns: readonly Column[] = [
  {
    name: 'Name',
    type: 'string',
    format: 'name',
    description: 'The name of the object',
    value: (object) => object.metadata.name ?? '',
  },
  {
    name: 'Created At',
    type: 'date',
    description: 'When the object was created',
    value: (object) => object.metadata.creationTimestamp ?? null,
  },
];

export function columnsOfVersion(version: ServedVersion): readonly Column[] {
  return version.columns ?? defaultColumns;
}

function readRow(object: KubeObject, version: ServedVersion, columns: readonly Column[]): Cells {
  const conditions = version.rowConditions?.(object) ?? [];
  return {
    cells: columns.map((column) => readCell(column, object)),
    conditions: conditions.length === 0 ? '' : `,"conditions":${JSON.stringify(conditions)}`,
  };
}

function readCell(column: Column, object: KubeObject): string | number | AgeCell {
  const value = column.value(object) ?? null;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  if (value.age === undefined) return '"<unknown>"';
  return value.before === undefined && value.after === undefined ? Date.parse(value.age) : value;
}

function ageText(cell: number | AgeCell, now: number): string {
  if (typeof cell === 'number') return `"${age(cell, now)}"`;
  return JSON.stringify(`${cell.before ?? ''}${age(Date.parse(cell.age ?? ''), now)}${cell.after ?? ''}`);
}

function age(time: number, now: number): string {
  return humanDuration(Math.max(0, now - time));
}
