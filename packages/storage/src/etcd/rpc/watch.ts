import {
  bytesTag,
  finish,
  type GrpcMethod,
  int64,
  type MessageReader,
  type MessageWriter,
  messageEnd,
  read,
  varintTag,
  write,
} from '../../grpc/protobuf.ts';
import type { Entry } from '../../store.ts';
import { headerRevision, type KeyRange, keyValue } from './kv.ts';

type WatchRequest = { readonly type: 'create'; readonly range: KeyRange; readonly start: number } | { readonly type: 'progress' };

export interface WatchResponse {
  readonly revision: number;
  readonly created: boolean;
  readonly canceled: boolean;
  readonly reason: string;
  /** The compacted revision, if the watch started before it; else 0. */
  readonly compacted: number;
  /** Whether the response continues in the next message. */
  readonly fragment: boolean;
  readonly events: EtcdWatchEvent[];
}

export interface EtcdWatchEvent {
  readonly type: 'put' | 'delete';
  readonly entry: Entry;
  readonly previous: Entry | undefined;
}

export const watchMethod: GrpcMethod<WatchRequest, WatchResponse> = {
  path: '/etcdserverpb.Watch/Watch',
  encode: (request) => {
    const writer = write();
    if (request.type === 'progress') return finish(writer.uint32(bytesTag(3)).fork().ldelim());
    return finish(writeCreate(writer.uint32(bytesTag(1)).fork(), request).ldelim());
  },
  decode: readWatchResponse,
};

function writeCreate(writer: MessageWriter, { range, start }: Extract<WatchRequest, { type: 'create' }>): MessageWriter {
  writer.uint32(bytesTag(1)).string(range.key);
  if (range.end) writer.uint32(bytesTag(2)).bytes(range.end);
  writer.uint32(varintTag(3)).int64(start);
  const [progressNotify, previousValue, fragments] = [4, 6, 8];
  for (const option of [progressNotify, previousValue, fragments]) writer.uint32(varintTag(option)).bool(true);
  return writer;
}

function readWatchResponse(message: Buffer): WatchResponse {
  const reader = read(message);
  const events: EtcdWatchEvent[] = [];
  const response = {
    revision: 0,
    watcher: 0,
    created: false,
    canceled: false,
    reason: '',
    compacted: 0,
    fragment: false,
    events,
  };
  while (reader.pos < message.length) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 1:
        response.revision = headerRevision(reader);
        break;
      case 3:
        response.created = reader.bool();
        break;
      case 4:
        response.canceled = reader.bool();
        break;
      case 5:
        response.compacted = int64(reader);
        break;
      case 6:
        response.reason = reader.string();
        break;
      case 7:
        response.fragment = reader.bool();
        break;
      case 11:
        events.push(readEvent(reader));
        break;
      default:
        reader.skipType(tag & 7);
    }
  }
  return response;
}

const NO_ENTRY: Entry = { key: '', value: new Uint8Array(0), revision: 0, created: 0 };
const DELETE = 1;

function readEvent(reader: MessageReader): EtcdWatchEvent {
  const end = messageEnd(reader);
  let type: EtcdWatchEvent['type'] = 'put';
  let entry = NO_ENTRY;
  let previous: Entry | undefined;
  while (reader.pos < end) {
    const tag = reader.uint32();
    switch (tag >>> 3) {
      case 1:
        type = reader.int32() === DELETE ? 'delete' : 'put';
        break;
      case 2:
        entry = keyValue(reader);
        break;
      case 3:
        previous = keyValue(reader);
        break;
      default:
        reader.skipType(tag & 7);
    }
  }
  return { type, entry, previous };
}
