import { isObject } from '../json/object.ts';
import type { JsonObject, JsonValue } from '../schema/type.ts';
import { isAbsent, unfit, type ValueEncoder } from './encode-scalar.ts';
import { wire } from './wire.ts';
import type { ProtobufWriter } from './writer.ts';

/** Writes a field of an object with its tag, or nothing. */
export type FieldEncoder = (writer: ProtobufWriter, object: JsonObject) => void;

/** The fields of a message, last first. */
export type MessageEncoder = readonly FieldEncoder[];

export function writeFields(writer: ProtobufWriter, message: MessageEncoder, object: JsonObject): void {
  for (const encode of message) encode(writer, object);
}

/** The fields and their length. */
export function writeMessage(writer: ProtobufWriter, message: MessageEncoder, object: JsonObject): void {
  const before = writer.length;
  writeFields(writer, message, object);
  writer.uint32(writer.length - before);
}

const tagOf = (number: number, wireType: number) => (number << 3) | wireType;

/** A message whose fields belong to the object around it. */
export function inlinedMessage(number: number, message: MessageEncoder): FieldEncoder {
  const tag = tagOf(number, wire.bytes);
  return (writer, object) => {
    writeMessage(writer, message, object);
    writer.uint32(tag);
  };
}

/** Written even if it is absent: then it is zero. */
export function valueField(name: string, number: number, value: ValueEncoder): FieldEncoder {
  const tag = tagOf(number, value.wireType);
  return (writer, object) => {
    value.write(writer, object[name]);
    writer.uint32(tag);
  };
}

/** Written only if it is there. */
export function pointerField(name: string, number: number, value: ValueEncoder): FieldEncoder {
  const tag = tagOf(number, value.wireType);
  return (writer, object) => {
    const member = object[name];
    if (isAbsent(member)) return;
    value.write(writer, member);
    writer.uint32(tag);
  };
}

export function listField(name: string, number: number, value: ValueEncoder): FieldEncoder {
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

/** Entries are sorted by the bytes of their keys. A value that is nullable is left out of its entry if it is null. */
export function mapField(name: string, number: number, value: ValueEncoder, nullable: boolean): FieldEncoder {
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
    for (let i = keys.length - 1; i >= 0; i--) writeEntry(writer, keys[i] as string, map[keys[i] as string]);
  };
}

function writeKey(writer: ProtobufWriter, key: string): void {
  const before = writer.length;
  writer.text(key);
  writer.uint32(writer.length - before);
  writer.byte(0x0a);
}

/** UTF-16 sorts like UTF-8 unless there are surrogates. */
function sortedKeys(map: JsonObject): string[] {
  const keys = Object.keys(map);
  if (keys.length < 2) return keys;
  return keys.some((key) => /[\ud800-\udfff]/.test(key)) ? keys.sort(byUtf8) : keys.sort();
}

function byUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
