import { stringifyJson } from '../json/stringify.ts';
import type { JsonValue } from '../json/value.ts';
import type { Scalar } from '../schema/type.ts';
import { ProtobufError, type WireType, wire } from './reader.ts';
import { parseMicros, parseSeconds } from './timestamp.ts';
import type { ProtobufWriter } from './writer.ts';

/** Writes a value with its length, if its wire type has one; the tag is written afterwards. Undefined and null are zero. */
export interface ValueEncoder {
  readonly wireType: WireType;
  write(writer: ProtobufWriter, value: JsonValue | undefined): void;
}

/** Without durations: no type with a protobuf encoding has one. */
export const scalarEncoders: Readonly<Partial<Record<Scalar, ValueEncoder>>> = {
  string: { wireType: wire.bytes, write: writeString },
  boolean: { wireType: wire.varint, write: (writer, value) => writer.byte(value ? 1 : 0) },
  int32: { wireType: wire.varint, write: writeInteger },
  int64: { wireType: wire.varint, write: writeInteger },
  double: { wireType: wire.fixed64, write: (writer, value) => writer.double(Number(value ?? 0)) },
  bytes: { wireType: wire.bytes, write: writeBytes },
  time: { wireType: wire.bytes, write: writeTime },
  microTime: { wireType: wire.bytes, write: writeMicroTime },
  quantity: { wireType: wire.bytes, write: writeQuantity },
  intOrString: { wireType: wire.bytes, write: writeIntOrString },
};

export function unfit(value: JsonValue, expected: string): ProtobufError {
  return new ProtobufError(`cannot write ${Array.isArray(value) ? 'a list' : typeof value} as ${expected}`);
}

export function isAbsent(value: JsonValue | undefined): value is null | undefined {
  return value === undefined || value === null;
}

function writeString(writer: ProtobufWriter, value: JsonValue | undefined): void {
  const before = writer.length;
  if (typeof value === 'string') writer.text(value);
  else if (!isAbsent(value)) throw unfit(value, 'a string');
  writer.uint32(writer.length - before);
}

function writeInteger(writer: ProtobufWriter, value: JsonValue | undefined): void {
  const integer = value ?? 0;
  if (typeof integer !== 'bigint' && !Number.isInteger(integer)) throw unfit(integer, 'an integer');
  writer.int64(integer as number | bigint);
}

function writeBytes(writer: ProtobufWriter, value: JsonValue | undefined): void {
  const before = writer.length;
  if (typeof value === 'string') writer.base64(value);
  else if (!isAbsent(value)) throw unfit(value, 'bytes');
  writer.uint32(writer.length - before);
}

/** No time is an empty message. */
function writeTime(writer: ProtobufWriter, value: JsonValue | undefined): void {
  if (typeof value === 'string') writeTimestamp(writer, parseSeconds(value), 0);
  else if (isAbsent(value)) writer.byte(0);
  else throw unfit(value, 'a time');
}

function writeMicroTime(writer: ProtobufWriter, value: JsonValue | undefined): void {
  if (isAbsent(value)) {
    writer.byte(0);
    return;
  }
  if (typeof value !== 'string') throw unfit(value, 'a time');
  const { seconds, nanos } = parseMicros(value);
  writeTimestamp(writer, seconds, nanos);
}

function writeTimestamp(writer: ProtobufWriter, seconds: number, nanos: number): void {
  const before = writer.length;
  writer.uint32(nanos);
  writer.byte(0x10);
  writer.int64(seconds);
  writer.byte(0x08);
  writer.uint32(writer.length - before);
}

function writeQuantity(writer: ProtobufWriter, value: JsonValue | undefined): void {
  const before = writer.length;
  writeString(writer, isAbsent(value) ? '0' : String(value));
  writer.byte(0x0a);
  writer.uint32(writer.length - before);
}

function writeIntOrString(writer: ProtobufWriter, value: JsonValue | undefined): void {
  const before = writer.length;
  const isString = typeof value === 'string';
  writeString(writer, isString ? value : '');
  writer.byte(0x1a);
  writeInteger(writer, isString ? 0 : value);
  writer.byte(0x10);
  writer.byte(isString ? 1 : 0);
  writer.byte(0x08);
  writer.uint32(writer.length - before);
}

/** RawExtension and JSON fields: a message that contains the JSON bytes. */
export const rawJsonEncoder: ValueEncoder = {
  wireType: wire.bytes,
  write: (writer, value) => {
    const before = writer.length;
    if (!isAbsent(value)) {
      writeString(writer, stringifyJson(value));
      writer.byte(0x0a);
    }
    writer.uint32(writer.length - before);
  },
};
