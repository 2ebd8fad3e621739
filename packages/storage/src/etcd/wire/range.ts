import { bytesTag, finish, int64, type Method, type Reader, read, varintTag, type Writer, write } from '../../grpc/protobuf.ts';
import type { Entry } from '../../store.ts';
import type { KeyRange } from '../key-range.ts';
import { headerRevision, keyValue } from './key-value.ts';

export interface RangeRequest extends KeyRange {
  readonly limit?: number;
  readonly revision?: number;
  readonly keysOnly?: boolean;
  readonly countOnly?: boolean;
}

export interface RangeResponse {
  /** The newest revision of the store when the range was read. */
  readonly newest: number;
  readonly entries: readonly Entry[];
  readonly more: boolean;
  readonly count: number;
}

export const range: Method<RangeRequest, RangeResponse> = {
  path: '/etcdserverpb.KV/Range',
  encode: (request) => finish(writeRange(write(), request)),
  decode: (message) => readRange(read(message), message.length),
};

export function writeRange(writer: Writer, request: RangeRequest): Writer {
  writer.uint32(bytesTag(1)).string(request.key);
  if (request.end) writer.uint32(bytesTag(2)).bytes(request.end);
  if (request.limit) writer.uint32(varintTag(3)).int64(request.limit);
  if (request.revision) writer.uint32(varintTag(4)).int64(request.revision);
  if (request.keysOnly) writer.uint32(varintTag(8)).bool(true);
  if (request.countOnly) writer.uint32(varintTag(9)).bool(true);
  return writer;
}

export function readRange(reader: Reader, end: number): RangeResponse {
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
