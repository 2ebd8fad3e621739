import type { JsonObject } from '../schema/type.ts';
import { encodeProtobuf } from './encode.ts';
import { envelopeHead, lengthField } from './envelope.ts';
import { listMetaType, listMetaTypes } from './list-meta.ts';
import { varintSize, writeVarint } from './varint.ts';

const metadataTag = 0x0a;
const itemTag = 0x12;

/** The bytes that an item takes in a list. */
export function listItemSize(item: Uint8Array): number {
  return 1 + varintSize(item.length) + item.length;
}

/** Writes an encoded object as an item of a list and gives the position behind it. */
export function writeListItem(item: Uint8Array, out: Uint8Array, at: number): number {
  out[at] = itemTag;
  const start = writeVarint(item.length, out, at + 1);
  out.set(item, start);
  return start + item.length;
}

/** What comes before the items of a wrapped list; `envelopeTail` comes behind them. */
export function listHead(apiVersion: string, kind: string, metadata: JsonObject, itemsSize: number): Buffer {
  const field = metadataField(metadata);
  return Buffer.concat([envelopeHead(apiVersion, kind, field.length + itemsSize), field]);
}

/** A list of encoded objects, without an envelope. */
export function encodeList(metadata: JsonObject, items: Iterable<Uint8Array>): Buffer {
  const fields = [metadataField(metadata)];
  for (const item of items) fields.push(lengthField(itemTag, item));
  return Buffer.concat(fields);
}

function metadataField(metadata: JsonObject): Buffer {
  return lengthField(metadataTag, encodeProtobuf(metadata, listMetaType, listMetaTypes));
}
