import { setKey } from '../json/object.ts';
import type { JsonObject, JsonValue } from '../schema/type.ts';
import { expectWireType, type ValueDecoder } from './decode-scalar.ts';
import { type FieldDecoder, type MessageDecoder, readMessage } from './read-message.ts';
import type { ProtobufReader } from './reader.ts';
import { wire } from './wire.ts';

/** A message whose fields belong to the object around it. */
export function inlinedMessage(message: MessageDecoder): FieldDecoder {
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

/** Whatever was written is told. */
export function plainField(name: string, value: ValueDecoder): FieldDecoder {
  return (reader, wireType, target) => {
    expectWireType(wireType, value.wireType, name);
    target[name] = value.read(reader);
  };
}

/** Zero is as good as absent. */
export function zeroIsAbsentField(name: string, value: ValueDecoder): FieldDecoder {
  return (reader, wireType, target) => {
    expectWireType(wireType, value.wireType, name);
    const read = value.read(reader);
    if (read) target[name] = read;
    else if (target[name] !== undefined) delete target[name];
  };
}

export function listField(name: string, value: ValueDecoder): FieldDecoder {
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

/** Numbers may come one behind the other without their tags. */
function readPacked(reader: ProtobufReader, value: ValueDecoder, list: JsonValue[]): void {
  const outer = reader.enter();
  while (reader.position < reader.end) list.push(value.read(reader));
  reader.leave(outer);
}

export function mapField(name: string, value: ValueDecoder): FieldDecoder {
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

/** An entry is a message: the key is its field 1, the value its field 2. */
function readEntry(reader: ProtobufReader, name: string, value: ValueDecoder, map: JsonObject): void {
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
