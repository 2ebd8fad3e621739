import { Cancelled, CorruptValue, FutureRevision, KeyExists, Mismatch, NoSpace, RequestTooLarge, Unavailable } from '../store.ts';

/**
 * Messages between the process that writes and those that read. The first byte is the type; numbers are little-endian, and
 * requests have an id that their answer repeats.
 *
 * write      id u32 · operation u8 · expected f64 · ttl f64 · key length u16 · key · value
 * cancel     id u32
 * ping       id u32
 * compact    id u32 · revision f64
 * dropped    revision f64: this process reads nothing any more that a compaction to the revision removes
 * committed  revision f64
 * done       id u32 · revision f64 · created f64
 * failed     id u32 · JSON of the error
 * compacting revision f64: answer with dropped
 */
export const MessageType = {
  write: 1,
  cancel: 2,
  ping: 3,
  compact: 4,
  dropped: 5,
  committed: 6,
  done: 7,
  failed: 8,
  compacting: 9,
} as const;

const OPERATIONS = ['create', 'update', 'delete'] as const;

export interface WriteRequest {
  readonly operation: (typeof OPERATIONS)[number];
  readonly key: string;
  readonly value: Uint8Array;
  /** The expected revision; 0 for a create. */
  readonly expected: number;
  /** 0 for none. */
  readonly ttlSeconds: number;
}

const WRITE_BYTES = 1 + 4 + 1 + 8 + 8 + 2;

export function encodeWrite(id: number, { operation, key, value, expected, ttlSeconds }: WriteRequest): Buffer[] {
  const keyBytes = Buffer.byteLength(key);
  const head = Buffer.allocUnsafe(WRITE_BYTES + keyBytes);
  head.writeUInt8(MessageType.write);
  head.writeUInt32LE(id, 1);
  head.writeUInt8(OPERATIONS.indexOf(operation), 5);
  head.writeDoubleLE(expected, 6);
  head.writeDoubleLE(ttlSeconds, 14);
  head.writeUInt16LE(keyBytes, 22);
  head.write(key, WRITE_BYTES);
  return [head, Buffer.from(value.buffer, value.byteOffset, value.byteLength)];
}

/** The value is a copy: the frame is part of a larger buffer, and the store keeps values for a while. */
export function decodeWrite(frame: Buffer): WriteRequest {
  const keyEnd = WRITE_BYTES + frame.readUInt16LE(22);
  return {
    operation: OPERATIONS[frame.readUInt8(5)] as WriteRequest['operation'],
    expected: frame.readDoubleLE(6),
    ttlSeconds: frame.readDoubleLE(14),
    key: frame.toString('utf8', WRITE_BYTES, keyEnd),
    value: Buffer.from(frame.subarray(keyEnd)),
  };
}

/** A message with an id and numbers. */
export function encodeReply(type: number, id: number, ...numbers: readonly number[]): Buffer {
  const message = Buffer.allocUnsafe(5 + 8 * numbers.length);
  message.writeUInt8(type);
  message.writeUInt32LE(id, 1);
  for (const [i, number] of numbers.entries()) message.writeDoubleLE(number, 5 + 8 * i);
  return message;
}

export function replyNumber(frame: Buffer, index: number): number {
  return frame.readDoubleLE(5 + 8 * index);
}

/** A message with a revision and no id. */
export function encodeNotice(type: number, revision: number): Buffer {
  const message = Buffer.allocUnsafe(9);
  message.writeUInt8(type);
  message.writeDoubleLE(revision, 1);
  return message;
}

export function noticeRevision(frame: Buffer): number {
  return frame.readDoubleLE(1);
}

interface ErrorMessage {
  readonly name: string;
  readonly message: string;
  readonly unwritten?: boolean;
  readonly isFull?: boolean;
  readonly key?: string;
  readonly revision?: number;
  readonly problem?: string;
  readonly current?: number;
}

export function encodeError(id: number, error: unknown): Buffer[] {
  const head = encodeReply(MessageType.failed, id);
  const { name, message, unwritten, key, revision, problem } = error as Error & Partial<ErrorMessage>;
  const current = error instanceof FutureRevision ? error.current : undefined;
  const isFull = error instanceof NoSpace;
  const sent: ErrorMessage = { name, message, isFull, ...defined({ unwritten, key, revision, problem, current }) };
  return [head, Buffer.from(JSON.stringify(sent))];
}

function defined<T extends object>(fields: T): { [K in keyof T]?: NonNullable<T[K]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}

/** A Mismatch has no current entry: the receiver reads it from its own database. */
export function decodeError(frame: Buffer): Error {
  const sent = JSON.parse(frame.toString('utf8', 5)) as ErrorMessage;
  const { message, key = '', revision = 0, problem = '', unwritten = false, current = 0 } = sent;
  if (sent.isFull) return new NoSpace({ message });
  const errors: Readonly<Record<string, () => Error>> = {
    KeyExists: () => new KeyExists(key),
    Mismatch: () => new Mismatch(key, undefined),
    Cancelled: () => new Cancelled(),
    CorruptValue: () => new CorruptValue(key, revision, problem),
    FutureRevision: () => new FutureRevision(current),
    Unavailable: () => new Unavailable(message, { unwritten }),
    RequestTooLarge: () => new RequestTooLarge(),
    RangeError: () => new RangeError(message),
  };
  return errors[sent.name]?.() ?? new Error(message);
}
