import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import type { FieldType, Scalar, TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import { isAbsent, rawJsonEncoder, scalarEncoders, unfit, type ValueEncoder } from './encode-scalar.ts';
import {
  type AnyType,
  isPointer,
  type Layout,
  type LayoutSlot,
  messageLayout,
  oncePerType,
  oneOfType,
  type ProtobufField,
  singleField,
} from './layout.ts';
import { wire } from './reader.ts';
import { ProtobufWriter } from './writer.ts';

/** Shared by all calls, because encoding is synchronous. */
const writer = new ProtobufWriter();

/**
 * Encodes an object exactly as Kubernetes does: fields in order of their numbers, maps sorted by key, non-pointer fields even
 * if they are zero. Throws ProtobufError if the object does not match its type; validate it before.
 */
export function encodeProtobuf(object: JsonObject, type: TypeDefinition, catalogue: TypeCatalogue): Buffer {
  writer.clear();
  writeFields(writer, messageEncoder(type, catalogue), object);
  return writer.finish();
}

const messageEncoder: (type: TypeDefinition, catalogue: TypeCatalogue) => MessageEncoder = oncePerType((type, catalogue) =>
  compile(messageLayout(type), catalogue),
);

function compile({ slots }: Layout, catalogue: TypeCatalogue): MessageEncoder {
  return slots.map((slot) => compileSlot(slot, catalogue)).reverse();
}

function compileSlot(slot: LayoutSlot, catalogue: TypeCatalogue): FieldEncoder {
  return 'field' in slot
    ? fieldEncoder(slot.field, slot.number, catalogue)
    : inlinedMessage(slot.number, compile(slot.inlined, catalogue));
}

function fieldEncoder(field: ProtobufField, number: number, catalogue: TypeCatalogue): FieldEncoder {
  const { name, type, wrapped } = field;
  if (type.is === 'map') return mapField(name, number, valueEncoder(type.of, catalogue), type.of.is === 'bytes');
  if (type.is === 'list' && !wrapped) return listField(name, number, valueEncoder(type.of, catalogue));
  const value = valueEncoder(type, catalogue);
  const mayBeNil = isPointer(field) || type.is === 'list' || type.is === 'bytes';
  return mayBeNil ? pointerField(name, number, value) : valueField(name, number, value);
}

/** A list that is a map value, or a field marked `wrapped`, is a message of its own. */
function valueEncoder(type: FieldType, catalogue: TypeCatalogue): ValueEncoder {
  if (type.is === 'list') return wrappedList(type, catalogue);
  if (type.is === 'object') return objectEncoder(type.ref, catalogue);
  if (type.is === 'any') return anyEncoder(type, catalogue);
  return scalarEncoders[type.is as Scalar] ?? impossible(type);
}

const noFields: JsonObject = {};

/** References are resolved lazily, because types are recursive. */
function objectEncoder(ref: string, catalogue: TypeCatalogue): ValueEncoder {
  let message: MessageEncoder | undefined;
  return {
    wireType: wire.bytes,
    write: (writer, value) => {
      message ??= messageEncoder(catalogue.get(ref), catalogue);
      writeMessage(writer, message, isAbsent(value) ? noFields : asObject(value));
    },
  };
}

function asObject(value: JsonValue): JsonObject {
  if (!isObject(value)) throw unfit(value, 'an object');
  return value;
}

function wrappedList(type: FieldType, catalogue: TypeCatalogue): ValueEncoder {
  const message = messageEncoder(singleField('items', type), catalogue);
  return { wireType: wire.bytes, write: (writer, value) => writeMessage(writer, message, { items: value ?? null }) };
}

function anyEncoder({ ref = '' }: AnyType, catalogue: TypeCatalogue): ValueEncoder {
  const choice = oneOfType(ref);
  if (!choice) return rawJsonEncoder;
  const message = messageEncoder(choice.type, catalogue);
  return { wireType: wire.bytes, write: (writer, value) => writeMessage(writer, message, choice.fromJson(value ?? null)) };
}

function impossible(type: FieldType): never {
  throw new Error(`no protobuf encoding for ${type.is}`);
}

/** Writes a field with its tag, or nothing if it is absent. */
type FieldEncoder = (writer: ProtobufWriter, object: JsonObject) => void;

/** Field encoders in reverse order. */
type MessageEncoder = readonly FieldEncoder[];

function writeFields(writer: ProtobufWriter, message: MessageEncoder, object: JsonObject): void {
  for (const encode of message) encode(writer, object);
}

/** Writes a length-delimited message. */
function writeMessage(writer: ProtobufWriter, message: MessageEncoder, object: JsonObject): void {
  const before = writer.length;
  writeFields(writer, message, object);
  writer.uint32(writer.length - before);
}

const tagOf = (number: number, wireType: number) => (number << 3) | wireType;

/** A message whose fields are inlined into the surrounding object. */
function inlinedMessage(number: number, message: MessageEncoder): FieldEncoder {
  const tag = tagOf(number, wire.bytes);
  return (writer, object) => {
    writeMessage(writer, message, object);
    writer.uint32(tag);
  };
}

/** A non-pointer field: an absent value is written as zero. */
function valueField(name: string, number: number, value: ValueEncoder): FieldEncoder {
  const tag = tagOf(number, value.wireType);
  return (writer, object) => {
    value.write(writer, object[name]);
    writer.uint32(tag);
  };
}

/** A pointer field: written only if present. */
function pointerField(name: string, number: number, value: ValueEncoder): FieldEncoder {
  const tag = tagOf(number, value.wireType);
  return (writer, object) => {
    const member = object[name];
    if (isAbsent(member)) return;
    value.write(writer, member);
    writer.uint32(tag);
  };
}

function listField(name: string, number: number, value: ValueEncoder): FieldEncoder {
  const tag = tagOf(number, value.wireType);
  return (writer, object) => {
    const list = object[name];
    if (isAbsent(list)) return;
    if (!Array.isArray(list)) throw unfit(list, 'a list');
    for (let i = list.length - 1; i >= 0; i--) {
      value.write(writer, list[i]);
      writer.uint32(tag);
    }
  };
}

/** Entries are sorted by the bytes of their keys. A null value of a nullable type is left out of its entry. */
function mapField(name: string, number: number, value: ValueEncoder, nullable: boolean): FieldEncoder {
  const tag = tagOf(number, wire.bytes);
  const valueTag = tagOf(2, value.wireType);
  const writeEntry = (writer: ProtobufWriter, key: string, member: JsonValue | undefined) => {
    const before = writer.length;
    if (!nullable || !isAbsent(member)) {
      value.write(writer, member);
      writer.byte(valueTag);
    }
    writeKey(writer, key);
    writer.uint32(writer.length - before);
    writer.uint32(tag);
  };
  return (writer, object) => {
    const map = object[name];
    if (isAbsent(map)) return;
    if (!isObject(map)) throw unfit(map, 'a map');
    const keys = sortedKeys(map);
    for (const key of keys.reverse()) writeEntry(writer, key, map[key]);
  };
}

function writeKey(writer: ProtobufWriter, key: string): void {
  const before = writer.length;
  writer.text(key);
  writer.uint32(writer.length - before);
  writer.byte(0x0a);
}

/** UTF-16 and UTF-8 order differ only for surrogates. */
function sortedKeys(map: JsonObject): string[] {
  const keys = Object.keys(map);
  if (keys.length < 2) return keys;
  return keys.some((key) => /[\ud800-\udfff]/.test(key)) ? keys.sort(byUtf8) : keys.sort();
}

function byUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
