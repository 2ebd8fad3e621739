import { int64, messageEnd, type Reader, varintTag } from '../../grpc/protobuf.ts';
import type { Entry } from '../../store.ts';

const NOTHING = new Uint8Array(0);

/** Reads a KeyValue, which comes next. Its value is a view of the message. */
export function keyValue(reader: Reader): Entry {
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

/** Reads the revision of a response header, which comes next. */
export function headerRevision(reader: Reader): number {
  const end = messageEnd(reader);
  let revision = 0;
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === varintTag(3)) revision = int64(reader);
    else reader.skipType(tag & 7);
  }
  return revision;
}
