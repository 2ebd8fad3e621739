import type { JsonObject } from '../json/value.ts';
import type { Field, TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import { encodeProtobuf } from './encode.ts';
import { envelopeHead, envelopeTail, lengthField, textField } from './envelope.ts';
import { varintSize, writeVarint } from './writer.ts';

const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1';

function metaType(kind: string, fields: readonly Field[]): TypeDefinition {
  return { name: `${meta}.${kind}`, fields: new Map(fields.map((field) => [field.name, field])) };
}

/** ListMeta is the same for all kinds and catalogues. */
export const listMetaType: TypeDefinition = metaType('ListMeta', [
  { name: 'selfLink', number: 1, type: { is: 'string' }, omitempty: 'omit' },
  { name: 'resourceVersion', number: 2, type: { is: 'string' }, omitempty: 'omit' },
  { name: 'continue', number: 3, type: { is: 'string' }, omitempty: 'omit' },
  { name: 'remainingItemCount', number: 4, type: { is: 'int64' }, omitempty: 'keep' },
  { name: 'shardInfo', number: 5, type: { is: 'object', ref: `${meta}.ShardInfo` } },
]);

const shardInfoType = metaType('ShardInfo', [{ name: 'selector', number: 1, type: { is: 'string' }, omitempty: 'zero' }]);

export const listMetaTypes: TypeCatalogue = { get: () => shardInfoType };

const metadataTag = 0x0a;
const itemTag = 0x12;

/** Encoded size of a list item. */
export function listItemSize(item: Uint8Array): number {
  return 1 + varintSize(item.length) + item.length;
}

/** Writes an encoded object as a list item; returns the end position. */
export function writeListItem(item: Uint8Array, out: Uint8Array, at: number): number {
  out[at] = itemTag;
  const start = writeVarint(item.length, out, at + 1);
  out.set(item, start);
  return start + item.length;
}

/** The bytes before the items of a list in an envelope; `envelopeTail` follows the items. */
export function protobufListHead(apiVersion: string, kind: string, metadata: JsonObject, itemsSize: number): Buffer {
  const field = metadataField(metadata);
  return Buffer.concat([envelopeHead(apiVersion, kind, field.length + itemsSize), field]);
}

/** A list of encoded objects without envelope. */
export function encodeProtobufList(metadata: JsonObject, items: Iterable<Uint8Array>): Buffer {
  const fields = [metadataField(metadata)];
  for (const item of items) fields.push(lengthField(itemTag, item));
  return Buffer.concat(fields);
}

function metadataField(metadata: JsonObject): Buffer {
  return lengthField(metadataTag, encodeProtobuf(metadata, listMetaType, listMetaTypes));
}

/** A watch frame: a length of four bytes and a WatchEvent, whose object has an envelope. The event itself has none. */
export function watchFrame(eventType: string, apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  const head = envelopeHead(apiVersion, kind, raw.length);
  const objectSize = head.length + raw.length + envelopeTail.length;
  const type = textField(0x0a, eventType);
  const extensionSize = 1 + varintSize(objectSize) + objectSize;
  const eventSize = type.length + 1 + varintSize(extensionSize) + extensionSize;
  const frame = Buffer.allocUnsafe(4 + eventSize);
  frame.writeUInt32BE(eventSize);
  let at = 4 + type.copy(frame, 4);
  frame[at] = 0x12;
  at = writeVarint(extensionSize, frame, at + 1);
  frame[at] = 0x0a;
  at = writeVarint(objectSize, frame, at + 1);
  at += head.copy(frame, at);
  frame.set(raw, at);
  envelopeTail.copy(frame, at + raw.length);
  return frame;
}
