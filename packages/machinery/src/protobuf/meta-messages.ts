import { type Status, statusBody } from '../errors/status.ts';
import type { JsonObject } from '../json/value.ts';
import type { Field, FieldType, TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import { encodeProtobuf } from './encode.ts';
import { envelopeHead, envelopeTail, lengthField, textField } from './envelope.ts';
import { ProtobufError, ProtobufReader } from './reader.ts';
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

function objectAt(name: string, number: number, ref: string): Field {
  return { name, number, type: { is: 'object', ref: `${meta}.${ref}` }, default: {} };
}

/** PartialObjectMetadata, which is not in the OpenAPI document. */
export const partialObjectMetadataType: TypeDefinition = {
  name: `${meta}.PartialObjectMetadata`,
  fields: new Map([['metadata', objectAt('metadata', 1, 'ObjectMeta')]]),
};

/**
 * Returns the PartialObjectMetadata of an encoded object as a view of its first bytes, because metadata is field 1 of every
 * kind. Throws ProtobufError.
 */
export function partialMetadataBytes(raw: Uint8Array): Uint8Array {
  const reader = new ProtobufReader(raw, 1);
  if (reader.tag('PartialObjectMetadata') !== 0x0a) throw new ProtobufError('metadata is not the first field');
  reader.slice();
  return raw.subarray(0, reader.position);
}

const text: FieldType = { is: 'string' };

function field(name: string, number: number, type: FieldType, omitempty: Field['omitempty'] = 'omit'): Field {
  return { name, number, type, omitempty };
}

const statusTypes = new Map<string, TypeDefinition>([[listMetaType.name, listMetaType]]);

function statusType(kind: string, ...fields: readonly Field[]): TypeDefinition {
  const definition = metaType(kind, fields);
  statusTypes.set(definition.name, definition);
  return definition;
}

const cause = statusType('StatusCause', field('reason', 1, text), field('message', 2, text), field('field', 3, text));

const details = statusType(
  'StatusDetails',
  field('name', 1, text),
  field('group', 2, text),
  field('kind', 3, text),
  field('causes', 4, { is: 'list', of: { is: 'object', ref: cause.name } }),
  field('retryAfterSeconds', 5, { is: 'int32' }),
  field('uid', 6, text),
);

const status = statusType(
  'Status',
  field('metadata', 1, { is: 'object', ref: listMetaType.name }),
  field('status', 2, text),
  field('message', 3, text),
  field('reason', 4, text),
  field('details', 5, { is: 'object', ref: details.name }, 'keep'),
  field('code', 6, { is: 'int32' }),
);

/** Self-contained, because a Status is sent regardless of the catalogue of the request. */
const statusCatalogue: TypeCatalogue = { get: (name) => statusTypes.get(name) ?? listMetaTypes.get(name) };

export function encodeStatus(answer: Status): Uint8Array {
  return encodeProtobuf(statusBody(answer), status, statusCatalogue);
}
