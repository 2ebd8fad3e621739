import { JsonSyntaxError } from '../json/errors.ts';
import { parseJson } from '../json/parse.ts';
import type { JsonValue } from '../json/value.ts';
import type { Scalar } from '../schema/type.ts';
import { ProtobufError, type ProtobufReader, type WireType, wire } from './reader.ts';
import { formatMicros, formatSeconds, type Timestamp, zeroSeconds } from './timestamp.ts';

/** Decodes a value after its tag. */
export interface ProtobufValueDecoder {
  readonly wireType: WireType;
  read(reader: ProtobufReader): JsonValue;
  /** Value of a map entry that has none. */
  zero(): JsonValue;
}

/** Without durations: no type with a protobuf encoding has one. */
export const scalarDecoders: Readonly<Partial<Record<Scalar, ProtobufValueDecoder>>> = {
  string: { wireType: wire.bytes, read: (reader) => reader.string(), zero: () => '' },
  boolean: { wireType: wire.varint, read: (reader) => reader.boolean(), zero: () => false },
  int32: { wireType: wire.varint, read: (reader) => reader.int32(), zero: () => 0 },
  int64: { wireType: wire.varint, read: (reader) => reader.int64(), zero: () => 0 },
  double: { wireType: wire.fixed64, read: readDouble, zero: () => 0 },
  bytes: { wireType: wire.bytes, read: (reader) => reader.base64(), zero: () => '' },
  time: { wireType: wire.bytes, read: readTime, zero: () => null },
  microTime: { wireType: wire.bytes, read: readMicroTime, zero: () => null },
  quantity: { wireType: wire.bytes, read: readQuantity, zero: () => '0' },
  intOrString: { wireType: wire.bytes, read: readIntOrString, zero: () => 0 },
};

export function expectWireType(found: number, expected: number, field: string): void {
  if (found === expected) return;
  const name = field.charAt(0).toUpperCase() + field.slice(1);
  throw new ProtobufError(`proto: wrong wireType = ${found} for field ${name}`);
}

function readDouble(reader: ProtobufReader): number {
  const value = reader.double();
  if (!Number.isFinite(value)) throw new ProtobufError('a number must be finite');
  return value;
}

/** Undefined for an empty message, which means no time. */
function readTimestamp(reader: ProtobufReader): Timestamp | undefined {
  const outer = reader.enter();
  const empty = reader.position === reader.end;
  let seconds = 0;
  let nanos = 0;
  while (reader.position < reader.end) {
    const tag = reader.tag('Timestamp');
    if (tag === 0x08) seconds = Number(reader.int64());
    else if (tag === 0x10) nanos = reader.int32();
    else skipUnless(reader, tag, ['seconds', 'nanos']);
  }
  reader.leave(outer);
  return empty ? undefined : { seconds, nanos };
}

/** Skips an unknown field; a known one had the wrong wire type. */
function skipUnless(reader: ProtobufReader, tag: number, known: readonly string[]): void {
  const field = known[(tag >>> 3) - 1];
  if (field !== undefined) expectWireType(tag & 7, -1, field);
  reader.skip(tag & 7);
}

function readTime(reader: ProtobufReader): JsonValue {
  const time = readTimestamp(reader);
  return time === undefined || time.seconds === zeroSeconds ? null : formatSeconds(time.seconds);
}

function readMicroTime(reader: ProtobufReader): JsonValue {
  const time = readTimestamp(reader);
  if (time === undefined || (time.seconds === zeroSeconds && Math.trunc(time.nanos / 1e3) === 0)) return null;
  return formatMicros(time);
}

function readQuantity(reader: ProtobufReader): string {
  const outer = reader.enter();
  let value = '';
  while (reader.position < reader.end) {
    const tag = reader.tag('Quantity');
    if (tag === 0x0a) value = reader.string();
    else skipUnless(reader, tag, ['string']);
  }
  reader.leave(outer);
  return value === '' ? '0' : value;
}

function readIntOrString(reader: ProtobufReader): number | string {
  const outer = reader.enter();
  let type: number | bigint = 0;
  let int = 0;
  let string = '';
  while (reader.position < reader.end) {
    const tag = reader.tag('IntOrString');
    if (tag === 0x08) type = reader.int64();
    else if (tag === 0x10) int = reader.int32();
    else if (tag === 0x1a) string = reader.string();
    else skipUnless(reader, tag, ['type', 'intVal', 'strVal']);
  }
  reader.leave(outer);
  if (type !== 0 && type !== 1) throw new ProtobufError('impossible IntOrString.Type');
  return type === 0 ? int : string;
}

/** RawExtension and JSON fields: a message that contains the JSON bytes. */
export const rawJsonDecoder: ProtobufValueDecoder = { wireType: wire.bytes, read: readRawJson, zero: () => null };

function readRawJson(reader: ProtobufReader): JsonValue {
  const outer = reader.enter();
  let value: JsonValue = null;
  while (reader.position < reader.end) {
    const tag = reader.tag('RawExtension');
    if (tag === 0x0a) value = parseRaw(reader.slice());
    else skipUnless(reader, tag, ['raw']);
  }
  reader.leave(outer);
  return value;
}

function parseRaw(bytes: Uint8Array): JsonValue {
  if (bytes.length === 0) return null;
  try {
    return parseJson(bytes).value;
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new ProtobufError(`raw JSON: ${error.message}`, { cause: error });
    throw error;
  }
}
