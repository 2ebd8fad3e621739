import {
  bytesTag,
  finish,
  type Method,
  messageEnd,
  type Opaque64,
  type Reader,
  read,
  varintTag,
  type Writer,
  write,
} from '../../grpc/protobuf.ts';
import type { Entry } from '../../store.ts';
import { headerRevision } from './key-value.ts';
import { type RangeRequest, readRange, writeRange } from './range.ts';

export type Operation =
  | { readonly type: 'range'; readonly range: RangeRequest }
  | { readonly type: 'put'; readonly key: string; readonly value: Uint8Array; readonly lease?: Opaque64 }
  | { readonly type: 'delete'; readonly key: string };

/** Does one thing if a key is at a revision (0: does not exist), and else another. */
export interface TxnRequest {
  readonly key: string;
  readonly expected: number;
  readonly success: readonly Operation[];
  readonly failure: readonly Operation[];
}

export interface TxnResponse {
  readonly revision: number;
  readonly succeeded: boolean;
  /** What the ranges of the branch found. */
  readonly found: readonly Entry[];
}

export const txn: Method<TxnRequest, TxnResponse> = {
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

function writeCompare(writer: Writer, { key, expected }: TxnRequest): Writer {
  return writer.uint32(varintTag(2)).int32(MOD_REVISION).uint32(bytesTag(3)).string(key).uint32(varintTag(6)).int64(expected);
}

function writeOperation(writer: Writer, operation: Operation): Writer {
  switch (operation.type) {
    case 'range':
      return writeRange(writer.uint32(bytesTag(1)).fork(), operation.range).ldelim();
    case 'put':
      return writePut(writer.uint32(bytesTag(2)).fork(), operation).ldelim();
    case 'delete':
      return writer.uint32(bytesTag(3)).fork().uint32(bytesTag(1)).string(operation.key).ldelim();
  }
}

function writePut(writer: Writer, put: Extract<Operation, { type: 'put' }>): Writer {
  writer.uint32(bytesTag(1)).string(put.key).uint32(bytesTag(2)).bytes(put.value);
  return put.lease === undefined ? writer : writer.uint32(varintTag(3)).int64(put.lease);
}

function readTxn(reader: Reader, end: number): TxnResponse {
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

function readRangeResult(reader: Reader): readonly Entry[] {
  const end = messageEnd(reader);
  let found: readonly Entry[] = [];
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === bytesTag(1)) found = readRange(reader, messageEnd(reader)).entries;
    else reader.skipType(tag & 7);
  }
  return found;
}
