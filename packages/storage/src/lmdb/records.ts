import type { Entry } from '../store.ts';

/**
 * The encodings of what is stored. A value is stored once, in the log, under the revision that wrote it; `current` points
 * there, and a removal points to it as what was before.
 *
 * head   (current)  revision f64 · created f64 · [expires f64]
 * record (log)      type u8 · key length u16 · previous f64 · created f64 · key · value
 * state  (meta)     layout f64 · revision f64 · compacted f64 · swept f64
 *
 * Numbers are little-endian; revisions and times are whole numbers below 2^53, which an f64 holds exactly.
 */

/** Where the newest value of a key is. */
export interface Head {
  readonly revision: number;
  readonly created: number;
  /** When the key removes itself, in milliseconds since 1970; 0 for never. */
  readonly expires: number;
}

/** A change without its value. */
export interface LogHead {
  readonly type: 'put' | 'delete';
  readonly revision: number;
  readonly key: string;
  readonly created: number;
  /** The revision of the value that this change replaced or removed; 0 if the key did not exist. */
  readonly previous: number;
}

export interface State {
  readonly revision: number;
  /** Nothing before this revision can be asked for. */
  readonly compacted: number;
  /** The log has been cleared of what compaction made useless up to this revision. */
  readonly swept: number;
}

const LAYOUT = 1;
const DELETE = 1;
const F64 = 8;

export const HEAD_BYTES = 3 * F64;
export const RECORD_HEADER_BYTES = 1 + 2 + 2 * F64;

const PREVIOUS_AT = 3;
const CREATED_AT = PREVIOUS_AT + F64;

/** Writes a head to a buffer and gives where it ends. */
export function writeHead(target: Buffer, at: number, entry: Entry, expires: number): number {
  target.writeDoubleLE(entry.revision, at);
  target.writeDoubleLE(entry.created, at + F64);
  return expires ? target.writeDoubleLE(expires, at + 2 * F64) : at + 2 * F64;
}

export function readHead(bytes: Uint8Array, length: number): Head {
  const head = bufferOver(bytes, length);
  const expires = length > 2 * F64 ? head.readDoubleLE(2 * F64) : 0;
  return { revision: head.readDoubleLE(0), created: head.readDoubleLE(F64), expires };
}

/** Writes a record to a buffer and gives where it ends. */
export function writeRecord(target: Buffer, at: number, type: LogHead['type'], entry: Entry, previous: number): number {
  const keyLength = target.write(entry.key, at + RECORD_HEADER_BYTES);
  target.writeUInt8(type === 'delete' ? DELETE : 0, at);
  target.writeUInt16LE(keyLength, at + 1);
  target.writeDoubleLE(previous, at + PREVIOUS_AT);
  target.writeDoubleLE(entry.created, at + CREATED_AT);
  const valueAt = at + RECORD_HEADER_BYTES + keyLength;
  if (type === 'delete') return valueAt;
  target.set(entry.value, valueAt);
  return valueAt + entry.value.length;
}

export function readLogHead(bytes: Uint8Array, length: number): Omit<LogHead, 'revision'> {
  const record = bufferOver(bytes, length);
  return {
    type: record.readUInt8(0) & DELETE ? 'delete' : 'put',
    key: record.toString('utf8', RECORD_HEADER_BYTES, RECORD_HEADER_BYTES + record.readUInt16LE(1)),
    previous: record.readDoubleLE(PREVIOUS_AT),
    created: record.readDoubleLE(CREATED_AT),
  };
}

export function readRecord(bytes: Uint8Array, length: number): Omit<Entry, 'revision'> {
  const record = bufferOver(bytes, length);
  const valueAt = RECORD_HEADER_BYTES + record.readUInt16LE(1);
  return {
    key: record.toString('utf8', RECORD_HEADER_BYTES, valueAt),
    value: copyOf(record.subarray(valueAt)),
    created: record.readDoubleLE(CREATED_AT),
  };
}

/** Small values share memory, which is far cheaper than memory for each. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafe(bytes.length);
  copy.set(bytes);
  return copy;
}

export function encodeState({ revision, compacted, swept }: State): Buffer {
  return Buffer.from(Float64Array.of(LAYOUT, revision, compacted, swept).buffer);
}

export function decodeState(bytes: Buffer): State {
  const layout = bytes.readDoubleLE(0);
  if (layout !== LAYOUT) throw new Error(`the database has layout ${layout}, this version reads layout ${LAYOUT}`);
  return { revision: bytes.readDoubleLE(F64), compacted: bytes.readDoubleLE(2 * F64), swept: bytes.readDoubleLE(3 * F64) };
}

/** LMDB hands out larger values as plain views of its memory. */
function bufferOver(bytes: Uint8Array, length: number): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, length);
}
