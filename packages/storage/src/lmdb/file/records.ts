import { CorruptValue, type Entry } from '../../store.ts';
import { crc32 } from './checksum.ts';

/**
 * Encodings of the tables. A value is stored once, in the log, under the revision that wrote it; `current` points to it, and
 * so does a delete, as its previous value.
 *
 * head   (current)  revision f64 · created f64 · [expires f64] · key checksum u32 · checksum u32
 * record (log)      type u8 · key length u16 · revision f64 · previous f64 · created f64 · key · value · checksum u32
 * due    (expiry)   key · checksum u32
 * state  (meta)     layout f64 · revision f64 · compacted f64 · swept f64 · checksum u32
 *
 * Numbers are little-endian; revisions and times are whole numbers below 2^53, which an f64 holds exactly. Each ends with the
 * CRC-32 of the preceding bytes. Checksums also cover the table's key: a record repeats its revision, a head contains the
 * checksum of its key, and that of an expiry is seeded with its key.
 */

/** Location of the newest value of a key. */
export interface Head {
  readonly revision: number;
  readonly created: number;
  /** Expiry in milliseconds since 1970; 0 for none. */
  readonly expires: number;
  readonly keyChecksum: number;
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

/** A record that fails its checksum. */
export const DAMAGED = Symbol('damaged');
export type Damaged = typeof DAMAGED;

export interface State {
  readonly revision: number;
  /** Revisions before this one can no longer be read. */
  readonly compacted: number;
  /** The log has been swept up to this revision. */
  readonly swept: number;
}

/** Layout 1 had no checksums. */
export const LAYOUT = 2;
const DELETE = 1;
const F64 = 8;
const CHECKSUM_BYTES = 4;

export const HEAD_BYTES = 3 * F64 + 2 * CHECKSUM_BYTES;
const RECORD_HEADER_BYTES = 1 + 2 + 3 * F64;
/** Size of a record without its key and value. */
export const RECORD_BYTES = RECORD_HEADER_BYTES + CHECKSUM_BYTES;

const REVISION_AT = 3;
const PREVIOUS_AT = REVISION_AT + F64;
const CREATED_AT = PREVIOUS_AT + F64;

/** Appends the checksum of [from, to); returns the end. */
function seal(target: Buffer, from: number, to: number, seed = 0): number {
  return target.writeUInt32LE(crc32(target.subarray(from, to), seed), to);
}

function isSealed(bytes: Buffer, seed = 0): boolean {
  const end = bytes.length - CHECKSUM_BYTES;
  return end > 0 && crc32(bytes.subarray(0, end), seed) === bytes.readUInt32LE(end);
}

/** Writes a head; returns its end. */
export function writeHead(target: Buffer, at: number, entry: Omit<Entry, 'value'>, expires: number, key: Uint8Array): number {
  target.writeDoubleLE(entry.revision, at);
  let end = target.writeDoubleLE(entry.created, at + F64);
  if (expires) end = target.writeDoubleLE(expires, end);
  end = target.writeUInt32LE(crc32(key), end);
  return seal(target, at, end);
}

export function readHead(bytes: Uint8Array, length: number): Head | Damaged {
  const head = bufferOver(bytes, length);
  const numbers = (length - 2 * CHECKSUM_BYTES) / F64;
  if ((numbers !== 2 && numbers !== 3) || !isSealed(head)) return DAMAGED;
  const expires = numbers === 3 ? head.readDoubleLE(2 * F64) : 0;
  const keyChecksum = head.readUInt32LE(length - 2 * CHECKSUM_BYTES);
  return { revision: head.readDoubleLE(0), created: head.readDoubleLE(F64), expires, keyChecksum };
}

/** Whether a head belongs to the key it was found under. */
export function isHeadOf(key: Uint8Array, { keyChecksum }: Head): boolean {
  return crc32(key) === keyChecksum;
}

/** Throws CorruptValue. */
export function soundHead(key: string, head: Head | Damaged): Head {
  if (head === DAMAGED || !isHeadOf(Buffer.from(key), head)) throw new CorruptValue(key, 0, 'its entry in the index is damaged');
  return head;
}

/** Writes a record; returns its end. */
export function writeRecord(target: Buffer, at: number, type: LogHead['type'], entry: Entry, previous: number): number {
  const keyLength = target.write(entry.key, at + RECORD_HEADER_BYTES);
  target.writeUInt8(type === 'delete' ? DELETE : 0, at);
  target.writeUInt16LE(keyLength, at + 1);
  target.writeDoubleLE(entry.revision, at + REVISION_AT);
  target.writeDoubleLE(previous, at + PREVIOUS_AT);
  target.writeDoubleLE(entry.created, at + CREATED_AT);
  const valueAt = at + RECORD_HEADER_BYTES + keyLength;
  if (type === 'delete') return seal(target, at, valueAt);
  target.set(entry.value, valueAt);
  return seal(target, at, valueAt + entry.value.length);
}

/** The key of the record at an offset. */
export function keyOfRecord(target: Buffer, at: number): Buffer {
  const from = at + RECORD_HEADER_BYTES;
  return target.subarray(from, from + target.readUInt16LE(at + 1));
}

export function readLogHead(bytes: Uint8Array, length: number): LogHead | Damaged {
  const record = soundRecord(bytes, length);
  return record === DAMAGED ? DAMAGED : headOf(record);
}

function headOf(record: Buffer): LogHead {
  return {
    type: record.readUInt8(0) & DELETE ? 'delete' : 'put',
    key: keyOfRecord(record, 0).toString(),
    revision: record.readDoubleLE(REVISION_AT),
    previous: record.readDoubleLE(PREVIOUS_AT),
    created: record.readDoubleLE(CREATED_AT),
  };
}

/** A change with its value, which is empty for a delete. */
export interface LogRecord extends LogHead {
  readonly value: Uint8Array;
}

export function readLogRecord(bytes: Uint8Array, length: number): LogRecord | Damaged {
  const record = soundRecord(bytes, length);
  if (record === DAMAGED) return DAMAGED;
  const value = copyOf(record.subarray(RECORD_HEADER_BYTES + record.readUInt16LE(1), length - CHECKSUM_BYTES));
  return { ...headOf(record), value };
}

export function readRecord(bytes: Uint8Array, length: number): Entry | Damaged {
  const view = readView(bytes, length);
  return view === DAMAGED ? DAMAGED : { ...view, value: copyOf(view.value) };
}

/** As `readRecord`, but the value is a part of `bytes`. */
export function readView(bytes: Uint8Array, length: number): (Entry & { readonly value: Buffer }) | Damaged {
  const record = soundRecord(bytes, length);
  if (record === DAMAGED) return DAMAGED;
  const key = keyOfRecord(record, 0);
  return {
    key: key.toString(),
    value: record.subarray(RECORD_HEADER_BYTES + key.length, length - CHECKSUM_BYTES),
    revision: record.readDoubleLE(REVISION_AT),
    created: record.readDoubleLE(CREATED_AT),
  };
}

function soundRecord(bytes: Uint8Array, length: number): Buffer | Damaged {
  const record = bufferOver(bytes, length);
  if (length < RECORD_BYTES || !isSealed(record)) return DAMAGED;
  return RECORD_BYTES + record.readUInt16LE(1) > length ? DAMAGED : record;
}

/** Copies into Node's shared buffer pool, which is much cheaper for small values than separate allocations. */
function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafe(bytes.length);
  copy.set(bytes);
  return copy;
}

export function encodeDue(key: string, expires: number, revision: number): Buffer {
  const due = Buffer.alloc(Buffer.byteLength(key) + CHECKSUM_BYTES);
  seal(due, 0, due.write(key), dueSeed(expires, revision));
  return due;
}

/** The key that expires. */
export function readDue(bytes: Uint8Array, expires: number, revision: number): string | Damaged {
  const due = bufferOver(bytes, bytes.length);
  return isSealed(due, dueSeed(expires, revision)) ? due.toString('utf8', 0, due.length - CHECKSUM_BYTES) : DAMAGED;
}

function dueSeed(expires: number, revision: number): number {
  return crc32(new Uint8Array(Float64Array.of(expires, revision).buffer));
}

export function encodeState({ revision, compacted, swept }: State): Buffer {
  const numbers = Float64Array.of(LAYOUT, revision, compacted, swept);
  const state = Buffer.alloc(numbers.byteLength + CHECKSUM_BYTES);
  state.set(new Uint8Array(numbers.buffer));
  seal(state, 0, numbers.byteLength);
  return state;
}

export function decodeState(bytes: Buffer): State {
  if (layoutVersion(bytes) === LAYOUT && !isSealed(bytes)) throw new Error('the state of the database is damaged');
  return { revision: bytes.readDoubleLE(F64), compacted: bytes.readDoubleLE(2 * F64), swept: bytes.readDoubleLE(3 * F64) };
}

/** The length of the state in each layout. */
const layoutBytes: Readonly<Record<number, number>> = { 1: 4 * F64, [LAYOUT]: 4 * F64 + CHECKSUM_BYTES };

/** Throws for an unknown layout version. */
export function layoutVersion(state: Buffer): number {
  const layout = state.length < F64 ? Number.NaN : state.readDoubleLE(0);
  if (state.length !== layoutBytes[layout])
    throw new Error(`the database has layout ${layout}, this version reads layouts 1 and ${LAYOUT}`);
  return layout;
}

/** lmdb-js passes larger values as plain Uint8Arrays over its memory. */
function bufferOver(bytes: Uint8Array, length: number): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, length);
}
