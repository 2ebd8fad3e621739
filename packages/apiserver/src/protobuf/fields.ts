import type { JsonObject, JsonValue } from '@tsukube/machinery';
import type { ProtobufWriter } from './protobuf-writer.ts';

/** Writes the message that a value is, without its length. */
export type Message = (writer: ProtobufWriter, value: JsonValue) => void;
/** Writes one field of a message, whatever its value. */
export type WriteField = Message;
/** How the members of an object are written. */
export type Fields = Readonly<Record<string, WriteField>>;

/** Members that are not in the table are vendor extensions, or nothing that can be said here. */
export function writeFields(writer: ProtobufWriter, fields: Fields, object: JsonObject, extensionField?: number): void {
  for (const [key, value] of Object.entries(object)) {
    const write = fields[key];
    if (write) write(writer, value);
    else if (extensionField !== undefined && key.startsWith('x-'))
      writeNamed(writer, extensionField, key, () => writeAny(writer, 2, value));
  }
}

export const objectOf =
  (fields: Fields, extensionField?: number): Message =>
  (writer, value) =>
    writeFields(writer, fields, value as JsonObject, extensionField);

export const text =
  (field: number): WriteField =>
  (writer, value) =>
    writer.string(field, value as string);

export const flag =
  (field: number): WriteField =>
  (writer, value) =>
    writer.bool(field, value as boolean);

export const texts =
  (field: number): WriteField =>
  (writer, value) => {
    for (const item of value as string[]) writer.string(field, item);
  };

export const message =
  (field: number, write: Message): WriteField =>
  (writer, value) =>
    writer.message(field, () => write(writer, value));

export const messages =
  (field: number, write: Message): WriteField =>
  (writer, value) => {
    for (const item of value as JsonValue[]) writer.message(field, () => write(writer, item));
  };

export const map =
  (field: number, write: Message, pairField = 1): WriteField =>
  (writer, value) =>
    writePairs(writer, field, Object.entries(value as JsonObject), write, pairField);

/** Any value is told as YAML, which JSON is. */
export const anyValue =
  (field: number): WriteField =>
  (writer, value) =>
    writeAny(writer, field, value);

export const anyValues =
  (field: number): WriteField =>
  (writer, value) => {
    for (const item of value as JsonValue[]) writeAny(writer, field, item);
  };

/** A map is a message with a list of pairs. */
export function writePairs(
  writer: ProtobufWriter,
  field: number,
  pairs: Iterable<readonly [string, JsonValue]>,
  write: Message,
  pairField = 1,
): void {
  writer.message(field, () => {
    for (const [name, item] of pairs) writeNamed(writer, pairField, name, () => writer.message(2, () => write(writer, item)));
  });
}

export function writeNamed(writer: ProtobufWriter, field: number, name: string, writeValue: () => void): void {
  writer.message(field, () => {
    writer.string(1, name);
    writeValue();
  });
}

function writeAny(writer: ProtobufWriter, field: number, value: JsonValue): void {
  writer.message(field, () => writer.string(2, JSON.stringify(value)));
}
