import { type JsonObject, type JsonValue, setKey } from '../json/value.ts';
import type { FieldType, Scalar, TypeCatalogue, TypeDefinition } from '../schema/type.ts';
import { expectWireType, type ProtobufValueDecoder, rawJsonDecoder, scalarDecoders } from './decode-scalar.ts';
import {
  type AnyType,
  type Layout,
  type LayoutSlot,
  messageLayout,
  oncePerType,
  oneOfType,
  type ProtobufField,
  singleField,
  tellsZero,
} from './layout.ts';
import { ProtobufReader, wire } from './reader.ts';

export interface ProtobufLimits {
  /** Maximum nesting depth of messages. */
  readonly depth?: number;
}

/** As for JSON. An object in a map counts twice here, because map entries are messages. */
const defaultDepth = 1_000;

/**
 * Decodes a message to its JSON form, without kind and apiVersion, which only the envelope has. Fields are in the order of the
 * bytes; zero values of omitempty fields are left out. Throws ProtobufError.
 */
export function decodeProtobuf(
  bytes: Uint8Array,
  type: TypeDefinition,
  catalogue: TypeCatalogue,
  limits?: ProtobufLimits,
): JsonObject {
  const object: JsonObject = {};
  readFields(new ProtobufReader(bytes, limits?.depth ?? defaultDepth), messageDecoder(type, catalogue), object);
  return object;
}

/** Decodes a field after its tag into its object. A repeated field is merged or replaced. */
type FieldDecoder = (reader: ProtobufReader, wireType: number, target: JsonObject) => void;

interface MessageDecoder {
  readonly name: string;
  /** Decoders by field number. */
  readonly fields: readonly (FieldDecoder | undefined)[];
}

/** Reads to the end of the current message. */
function readFields(reader: ProtobufReader, { name, fields }: MessageDecoder, target: JsonObject): void {
  while (reader.position < reader.end) {
    const tag = reader.tag(name);
    const decode = fields[tag >>> 3];
    if (decode === undefined) reader.skip(tag & 7);
    else decode(reader, tag & 7, target);
  }
}

/** Reads a length-delimited message. */
function readMessage(reader: ProtobufReader, message: MessageDecoder, target: JsonObject): JsonObject {
  const outer = reader.enter();
  readFields(reader, message, target);
  reader.leave(outer);
  return target;
}

const messageDecoder: (type: TypeDefinition, catalogue: TypeCatalogue) => MessageDecoder = oncePerType((type, catalogue) =>
  compile(messageLayout(type), catalogue),
);

function compile(layout: Layout, catalogue: TypeCatalogue): MessageDecoder {
  const fields: (FieldDecoder | undefined)[] = [];
  for (const slot of layout.slots) {
    while (fields.length < slot.number) fields.push(undefined);
    fields.push(compileSlot(slot, catalogue));
  }
  return { name: layout.name, fields };
}

function compileSlot(slot: LayoutSlot, catalogue: TypeCatalogue): FieldDecoder {
  return 'field' in slot ? fieldDecoder(slot.field, catalogue) : inlinedMessage(compile(slot.inlined, catalogue));
}

function fieldDecoder(field: ProtobufField, catalogue: TypeCatalogue): FieldDecoder {
  const { name, type, wrapped } = field;
  if (type.is === 'object') return objectField(name, lazily(type.ref, catalogue));
  if (type.is === 'map') return mapField(name, valueDecoder(type.of, catalogue));
  if (type.is === 'list' && !wrapped) return listField(name, valueDecoder(type.of, catalogue));
  const value = valueDecoder(type, catalogue);
  return tellsZero(field) ? plainField(name, value) : zeroIsAbsentField(name, value);
}

/** A list that is a map value, or a field marked `wrapped`, is a message of its own. */
function valueDecoder(type: FieldType, catalogue: TypeCatalogue): ProtobufValueDecoder {
  if (type.is === 'list') return wrappedList(type, catalogue);
  if (type.is === 'object') return objectDecoder(lazily(type.ref, catalogue));
  if (type.is === 'any') return anyDecoder(type, catalogue);
  return scalarDecoders[type.is as Scalar] ?? impossible(type);
}

/** Lazy, because types are recursive. */
function lazily(ref: string, catalogue: TypeCatalogue): () => MessageDecoder {
  let message: MessageDecoder | undefined;
  return () => {
    message ??= messageDecoder(catalogue.get(ref), catalogue);
    return message;
  };
}

function objectDecoder(message: () => MessageDecoder): ProtobufValueDecoder {
  return { wireType: wire.bytes, read: (reader) => readMessage(reader, message(), {}), zero: () => ({}) };
}

function wrappedList(type: FieldType, catalogue: TypeCatalogue): ProtobufValueDecoder {
  const message = messageDecoder(singleField('items', type), catalogue);
  return { wireType: wire.bytes, read: (reader) => readMessage(reader, message, {}).items ?? [], zero: () => [] };
}

function anyDecoder({ ref = '' }: AnyType, catalogue: TypeCatalogue): ProtobufValueDecoder {
  const choice = oneOfType(ref);
  if (!choice) return rawJsonDecoder;
  const message = messageDecoder(choice.type, catalogue);
  return { wireType: wire.bytes, read: (reader) => choice.toJson(readMessage(reader, message, {})), zero: () => null };
}

function impossible(type: FieldType): never {
  throw new Error(`no protobuf encoding for ${type.is}`);
}

/** A message whose fields are inlined into the surrounding object. */
function inlinedMessage(message: MessageDecoder): FieldDecoder {
  return (reader, wireType, target) => {
    expectWireType(wireType, wire.bytes, message.name);
    readMessage(reader, message, target);
  };
}

export function objectField(name: string, message: () => MessageDecoder): FieldDecoder {
  return (reader, wireType, target) => {
    expectWireType(wireType, wire.bytes, name);
    const inner = target[name] as JsonObject | undefined;
    if (inner === undefined) target[name] = readMessage(reader, message(), {});
    else readMessage(reader, message(), inner);
  };
}

/** Keeps zero values. */
function plainField(name: string, value: ProtobufValueDecoder): FieldDecoder {
  return (reader, wireType, target) => {
    expectWireType(wireType, value.wireType, name);
    target[name] = value.read(reader);
  };
}

/** Omits zero values. */
function zeroIsAbsentField(name: string, value: ProtobufValueDecoder): FieldDecoder {
  return (reader, wireType, target) => {
    expectWireType(wireType, value.wireType, name);
    const read = value.read(reader);
    if (read) target[name] = read;
    else if (target[name] !== undefined) delete target[name];
  };
}

function listField(name: string, value: ProtobufValueDecoder): FieldDecoder {
  return (reader, wireType, target) => {
    let list = target[name] as JsonValue[] | undefined;
    if (list === undefined) {
      list = [];
      target[name] = list;
    }
    if (wireType === wire.bytes && value.wireType !== wire.bytes) {
      readPacked(reader, value, list);
      return;
    }
    expectWireType(wireType, value.wireType, name);
    list.push(value.read(reader));
  };
}

/** Packed repeated numbers. */
function readPacked(reader: ProtobufReader, value: ProtobufValueDecoder, list: JsonValue[]): void {
  const outer = reader.enter();
  while (reader.position < reader.end) list.push(value.read(reader));
  reader.leave(outer);
}

function mapField(name: string, value: ProtobufValueDecoder): FieldDecoder {
  return (reader, wireType, target) => {
    expectWireType(wireType, wire.bytes, name);
    let map = target[name] as JsonObject | undefined;
    if (map === undefined) {
      map = {};
      target[name] = map;
    }
    readEntry(reader, name, value, map);
  };
}

/** A map entry is a message with key 1 and value 2. */
function readEntry(reader: ProtobufReader, name: string, value: ProtobufValueDecoder, map: JsonObject): void {
  const outer = reader.enter();
  let key = '';
  let entry: JsonValue | undefined;
  while (reader.position < reader.end) {
    const tag = reader.tag(name);
    const number = tag >>> 3;
    if (number > 2) {
      reader.skip(tag & 7);
      continue;
    }
    expectWireType(tag & 7, number === 1 ? wire.bytes : value.wireType, name);
    if (number === 1) key = reader.string();
    else entry = value.read(reader);
  }
  reader.leave(outer);
  setKey(map, key, entry === undefined ? value.zero() : entry);
}
