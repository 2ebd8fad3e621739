import {
  internedRecord,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  metadataOf,
  type ObjectMeta,
  parseJson,
  parseJsonAround,
  recordFromText,
  stringifyJson,
} from '@tsukube/machinery';
import type { Allocate } from '../watchcache/entry.ts';

/**
 * The JSON of an object, in the store and in responses. Keys are in the order of Kubernetes: kind, apiVersion, metadata, and in
 * metadata the names, the uid and the resourceVersion. The byte operations below rely on that order; JSON that others wrote in
 * another order is parsed and encoded again.
 */
const metadataOrder = [
  'name',
  'generateName',
  'namespace',
  'selfLink',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;

const storedMetadataOrder = metadataOrder.filter((key) => key !== 'resourceVersion');

export function encodeObject(object: JsonObject): string {
  return encode(object, metadataOrder);
}

/** The stored form: without the resourceVersion, which is the revision of the write. */
export function encodeStored(object: JsonObject): Buffer {
  return Buffer.from(encode(object, storedMetadataOrder));
}

function encode(object: JsonObject, order: readonly string[]): string {
  let text = `{"kind":${JSON.stringify(object.kind)},"apiVersion":${JSON.stringify(object.apiVersion)},"metadata":${encodeMetadata(metadataOf(object), order)}`;
  for (const key of Object.keys(object)) {
    if (key === 'kind' || key === 'apiVersion' || key === 'metadata') continue;
    const value = object[key];
    if (value !== undefined) text += `,${JSON.stringify(key)}:${stringifyJson(value)}`;
  }
  return `${text}}`;
}

function encodeMetadata(metadata: JsonObject, order: readonly string[]): string {
  let text = '';
  for (const key of order) {
    const value = metadata[key];
    if (value === undefined) continue;
    const json = (key === 'managedFields' && internedRecord(value)?.text) || stringifyJson(value);
    text += `${text === '' ? '{' : ','}"${key}":${json}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** Whether a stored form equals a served one, apart from the resourceVersion. */
export function isServedAs(stored: Buffer, served: Buffer, revision: number): boolean {
  const at = endOfUid(stored);
  if (at < 0) return false;
  const version = `,"resourceVersion":"${revision}"`;
  if (stored.length + version.length !== served.length) return false;
  const behind = at + version.length;
  return stored.compare(served, behind, served.length, at) === 0 && stored.compare(served, 0, at, 0, at) === 0;
}

/** Decodes stored bytes. They were checked against the schema before they were stored, so the metadata has its types. */
export function decodeObject(bytes: Uint8Array): KubeObject {
  return (decodeInterning(bytes) ?? parseJson(bytes).value) as KubeObject;
}

const recordMark = Buffer.from(',"managedFields":[{');
const recordEnd = Buffer.from('}]}');

/** Decodes with managedFields looked up by their text instead of parsed. Undefined if they are not in this server's form. */
function decodeInterning(bytes: Uint8Array): JsonObject | undefined {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mark = buffer.indexOf(recordMark);
  if (mark < 0) return undefined;
  const start = mark + recordMark.length - 2;
  const end = buffer.indexOf(recordEnd, start) + recordEnd.length - 1;
  const record = recordFromText(buffer.toString('utf8', start, end));
  if (record === undefined) return undefined;
  const object = parseJsonAround(buffer, start, end) as JsonObject | undefined;
  const metadata = object?.metadata;
  // Otherwise the text was found somewhere else in the object.
  if (!isObject(metadata) || metadata.managedFields !== null) return undefined;
  metadata.managedFields = record.entries;
  return object;
}

const start = Buffer.from('{"kind":"');
const metadataMark = Buffer.from('"metadata":{"');
const uidMark = Buffer.from('"uid":"');

/** The served form: the stored one with the resourceVersion inserted. */
export function withResourceVersion(stored: Uint8Array, revision: number, allocate: Allocate): Buffer {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  const at = endOfUid(bytes);
  return at < 0 ? reencoded(bytes, revision) : spliced(bytes, at, `,"resourceVersion":"${revision}"`, allocate);
}

const versionMark = Buffer.from(',"resourceVersion":"');

/** A served form with another resourceVersion. */
export function atRevision(served: Buffer, revision: number): Buffer {
  const at = endOfUid(served);
  if (at < 0 || served.compare(versionMark, 0, versionMark.length, at, at + versionMark.length) !== 0)
    return reencoded(served, revision);
  const end = served.indexOf(0x22, at + versionMark.length) + 1;
  const text = `,"resourceVersion":"${revision}"`;
  return Buffer.concat([served.subarray(0, at), Buffer.from(text), served.subarray(end)]);
}

function spliced(bytes: Buffer, at: number, text: string, allocate: Allocate): Buffer {
  const out = allocate(bytes.length + text.length);
  bytes.copy(out, 0, 0, at);
  out.write(text, at, 'latin1');
  bytes.copy(out, at + text.length, at);
  return out;
}

/** The end of the value of metadata.uid, or -1 if the keys are in another order. */
function endOfUid(bytes: Buffer): number {
  if (bytes.length < start.length || bytes.compare(start, 0, start.length, 0, start.length) !== 0) return -1;
  const metadata = bytes.indexOf(metadataMark);
  if (metadata < 0) return -1;
  const inside = metadata + metadataMark.length;
  const uid = bytes.indexOf(uidMark, inside - 1);
  if (uid < 0) return -1;
  const nested = bytes.indexOf(openBrace, inside);
  if (nested >= 0 && nested < uid) return -1;
  return bytes.indexOf(0x22, uid + uidMark.length) + 1;
}

function reencoded(bytes: Buffer, revision: number): Buffer {
  const value: JsonValue = parseJson(bytes).value;
  if (!isObject(value)) return bytes;
  const metadata = isObject(value.metadata) ? value.metadata : {};
  return Buffer.from(encodeObject({ ...value, metadata: { ...metadata, resourceVersion: String(revision) } }));
}

const metadataStart = Buffer.from('"metadata":{');
const managedFieldsStart = Buffer.from(',"managedFields":[');
const typeMetaLimit = 1024;

/** The start of managedFields, which follow all other metadata; or the end. Client strings cannot match: their quotes are escaped. */
export function endOfPlainMetadata(bytes: Buffer): number {
  const at = bytes.indexOf(managedFieldsStart);
  return at < 0 ? bytes.length : at;
}

/** The metadata without managedFields, parsed alone if the keys are in order. */
export function plainMetadata(bytes: Buffer): ObjectMeta {
  const start = bytes.indexOf(metadataStart);
  const end = bytes.indexOf(managedFieldsStart, start);
  if (start >= 0 && start < typeMetaLimit && end >= 0) {
    const text = `${bytes.toString('utf8', start + metadataStart.length - 1, end)}}`;
    try {
      return JSON.parse(text) as ObjectMeta;
    } catch {
      // Written by others, in another order.
    }
  }
  const { metadata } = decodeObject(bytes);
  return isObject(metadata) ? metadata : {};
}

// Finding values in JSON without parsing it. The JSON was written by this server and is well-formed.

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const comma = 0x2c;

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The end of `{"kind":"…","apiVersion":"…",`, which items of a list do not have. */
export function endOfTypeMeta(bytes: Buffer): number {
  return bytes.indexOf('"metadata":');
}

export function metadataSpan(bytes: Buffer): Span {
  const start = endOfTypeMeta(bytes) + '"metadata":'.length;
  return { start, end: endOfValue(bytes, start) };
}

/** The value of a key of the object that starts at `at`, or undefined. */
export function member(bytes: Buffer, at: number, key: string): Span | undefined {
  let i = at + 1;
  while (bytes[i] === quote) {
    const keyEnd = endOfString(bytes, i);
    const start = keyEnd + 1;
    const end = endOfValue(bytes, start);
    if (keyEnd - i === key.length + 2 && bytes.toString('latin1', i + 1, keyEnd - 1) === key) return { start, end };
    i = bytes[end] === comma ? end + 1 : end;
  }
  return undefined;
}

function endOfValue(bytes: Buffer, at: number): number {
  const first = bytes[at];
  if (first === quote) return endOfString(bytes, at);
  if (first === openBrace || first === openBracket) return endOfNested(bytes, at);
  let i = at;
  while (i < bytes.length && bytes[i] !== comma && bytes[i] !== closeBrace && bytes[i] !== closeBracket) i++;
  return i;
}

function endOfString(bytes: Buffer, at: number): number {
  for (let i = at + 1; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === backslash) i++;
    else if (byte === quote) return i + 1;
  }
  return bytes.length;
}

function endOfNested(bytes: Buffer, at: number): number {
  let depth = 0;
  for (let i = at; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === quote) i = endOfString(bytes, i) - 1;
    else if (byte === openBrace || byte === openBracket) depth++;
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return i + 1;
  }
  return bytes.length;
}

/** The bytes of the value at a path of keys, or undefined. */
export function memberOf(bytes: Buffer, ...path: readonly string[]): Buffer | undefined {
  let start = 0;
  let end = bytes.length;
  for (const key of path) {
    const span = bytes[start] === openBrace ? member(bytes, start, key) : undefined;
    if (!span) return undefined;
    ({ start, end } = span);
  }
  return bytes.subarray(start, end);
}
