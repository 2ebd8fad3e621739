import {
  bytesTag,
  finish,
  type GrpcMethod,
  int64,
  type MessageReader,
  type MessageWriter,
  messageEnd,
  type Opaque64,
  read,
  varintTag,
  write,
} from '../../grpc/protobuf.ts';
import { firstKey } from '../../keys.ts';
import type { Entry } from '../../store.ts';

/** The keys in [key, end); without `end` the single key. */
export interface KeyRange {
  readonly key: string;
  readonly end?: Uint8Array;
}

const SMALLEST_KEY = '\0';
/** etcd's range end for "all keys from here on". */
const NO_END = Uint8Array.of(0);

export const ALL_KEYS: KeyRange = { key: SMALLEST_KEY, end: NO_END };

export function prefixRange(prefix: string, from?: string): KeyRange {
  return { key: firstKey(prefix, from) || SMALLEST_KEY, end: endOf(prefix) };
}

/** The prefix with its last byte incremented. UTF-8 contains no 0xff, so this cannot overflow. */
function endOf(prefix: string): Uint8Array {
  if (prefix === '') return NO_END;
  const end = Buffer.from(prefix);
  end[end.length - 1] = (end.at(-1) as number) + 1;
  return end;
}

interface RangeRequest extends KeyRange {
  readonly limit?: number;
  readonly revision?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
}

export interface RangeResponse {
  /** The newest revision of the store at the time of the read. */
  readonly newest: number;
  readonly entries: readonly Entry[];
  readonly more: boolean;
  readonly count: number;
}

export const rangeMethod: GrpcMethod<RangeRequest, RangeResponse> = {
  path: '/etcdserverpb.KV/Range',
  encode: (request) => finish(writeRange(write(), request)),
  decode: (message) => readRange(read(message), message.length),
};

function writeRange(writer: MessageWriter, request: RangeRequest): MessageWriter {
  writer.uint32(bytesTag(1)).string(request.key);
  if (request.end) writer.uint32(bytesTag(2)).bytes(request.end);
  if (request.limit) writer.uint32(varintTag(3)).int64(request.limit);
  if (request.revision) writer.uint32(varintTag(4)).int64(request.revision);
  if (request.keysOnly) writer.uint32(varintTag(8)).bool(true);
  if (request.countOnly) writer.uint32(varintTag(9)).bool(true);
  return writer;
}

function readRange(reader: MessageReader, end: number): RangeResponse {
  const entries: Entry[] = [];
  let newest = 0;
  let more = false;
  let count = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 1:
        newest = headerRevision(reader);
        break;
      case 2:
        entries.push(keyValue(reader));
        break;
      case 3:
        more = reader.bool();
        break;
      case 4:
        count = int64(reader);
        break;
      default:
        reader.skipType(tag & 7);
    }
  }
  return { newest, entries, more, count };
}

export const compactMethod: GrpcMethod<number, void> = {
  path: '/etcdserverpb.KV/Compact',
  encode: (revision) => finish(write().uint32(varintTag(1)).int64(revision)),
  decode: () => {},
};

type TxnOperation =
  | { readonly type: 'range'; readonly range: RangeRequest }
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly lease?: Opaque64 }
  | { readonly type: 'delete'; readonly key: string };

/** Applies `success` if the key is at revision `expected` (0: does not exist), else `failure`. */
export interface TxnRequest {
  readonly key: string;
  readonly expected: number;
  readonly success: readonly TxnOperation[];
  readonly failure: readonly TxnOperation[];
}

export interface TxnResponse {
  readonly revision: number;
  readonly succeeded: boolean;
  /** Results of the range operations. */
  readonly found: readonly Entry[];
}

export const txnMethod: GrpcMethod<TxnRequest, TxnResponse> = {
  path: '/etcdserverpb.KV/Txn',
  encode: (request) => {
    const writer = write();
    writeCompare(writer.uint32(bytesTag(1)).fork(), request).ldelim();
    for (const operation of request.success) writeOperation(writer.uint32(bytesTag(2)).fork(), operation).ldelim();
    for (const operation of request.failure) writeOperation(writer.uint32(bytesTag(3)).fork(), operation).ldelim();
    return finish(writer);
  },
  decode: (message) => readTxn(read(message), message.length),
};

const MOD_REVISION = 2;

function writeCompare(writer: MessageWriter, { key, expected }: TxnRequest): MessageWriter {
  return writer.uint32(varintTag(2)).int32(MOD_REVISION).uint32(bytesTag(3)).string(key).uint32(varintTag(6)).int64(expected);
}

function writeOperation(writer: MessageWriter, operation: TxnOperation): MessageWriter {
  switch (operation.type) {
    case 'range':
      return writeRange(writer.uint32(bytesTag(1)).fork(), operation.range).ldelim();
    case 'put':
      return writePut(writer.uint32(bytesTag(2)).fork(), operation).ldelim();
    case 'delete':
      return writer.uint32(bytesTag(3)).fork().uint32(bytesTag(1)).string(operation.key).ldelim();
  }
}

function writePut(writer: MessageWriter, put: Extract<TxnOperation, { type: 'put' }>): MessageWriter {
  writer.uint32(bytesTag(1)).string(put.key).uint32(bytesTag(2)).bytes(put.value);
  return put.lease === undefined ? writer : writer.uint32(varintTag(3)).int64(put.lease);
}

function readTxn(reader: MessageReader, end: number): TxnResponse {
  const found: Entry[] = [];
  let revision = 0;
  let succeeded = false;
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 1:
        revision = headerRevision(reader);
        break;
      case 2:
        succeeded = reader.bool();
        break;
      case 3:
        found.push(...readRangeResult(reader));
        break;
      default:
        reader.skipType(tag & 7);
    }
  }
  return { revision, succeeded, found };
}

function readRangeResult(reader: MessageReader): readonly Entry[] {
  const end = messageEnd(reader);
  let found: readonly Entry[] = [];
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === bytesTag(1)) found = readRange(reader, messageEnd(reader)).entries;
    else reader.skipType(tag & 7);
  }
  return found;
}

const NOTHING = new Uint8Array(0);

/** Reads a length-delimited KeyValue. Its value is a view of the message. */
export function keyValue(reader: MessageReader): Entry {
  const end = messageEnd(reader);
  let key = '';
  let value: Uint8Array = NOTHING;
  let created = 0;
  let revision = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 1:
        key = reader.string();
        break;
      case 2:
        created = int64(reader);
        break;
      case 3:
        revision = int64(reader);
        break;
      case 5:
        value = reader.bytes();
        break;
      default:
        reader.skipType(tag & 7);
    }
  }
  return { key, value, revision, created };
}

/** Reads the revision from a length-delimited ResponseHeader. */
export function headerRevision(reader: MessageReader): number {
  const end = messageEnd(reader);
  let revision = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === varintTag(3)) revision = int64(reader);
    else reader.skipType(tag & 7);
  }
  return revision;
}
