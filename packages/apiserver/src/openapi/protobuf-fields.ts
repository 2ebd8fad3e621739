import { isObject, type JsonObject, type JsonValue, ProtobufWriter } from '@tsukube/machinery';
import { TimeSlice } from '@tsukube/storage';

/** Writes the fields of a message. The writer writes backwards, so fields, items and entries are given last first. */
export type Message = (writer: ProtobufWriter, value: JsonValue) => void;
/** Writes one field of a message with its tag. */
export type WriteField = Message;
/** Encoders by member name. */
export type FieldWriters = Readonly<Record<string, WriteField>>;

/** Writes the members of an object. Members that have no encoder are vendor extensions (`x-`) or have no protobuf form. */
export function writeFields(writer: ProtobufWriter, fields: FieldWriters, object: JsonObject, extensionField?: number): void {
  for (const [key, value] of Object.entries(object).reverse()) {
    const write = fields[key];
    if (write) write(writer, value);
    else if (extensionField !== undefined && key.startsWith('x-')) writeNamed(writer, extensionField, key, anyValue(2), value);
  }
}

/** The members of an object; documents are generated, so every value has the type of its member. */
export function documentMembers(value: JsonValue): JsonObject {
  return isObject(value) ? value : {};
}

/** The items of a list, last first. */
function itemsOf(value: JsonValue): readonly JsonValue[] {
  return Array.isArray(value) ? value.toReversed() : [];
}

export const objectOf =
  (fields: FieldWriters, extensionField?: number): Message =>
  (writer, value) =>
    writeFields(writer, fields, documentMembers(value), extensionField);

export const stringField =
  (field: number): WriteField =>
  (writer, value) =>
    writer.stringField(field, String(value));

export const boolField =
  (field: number): WriteField =>
  (writer, value) =>
    writer.boolField(field, value === true);

export const stringFields =
  (field: number): WriteField =>
  (writer, value) => {
    for (const item of itemsOf(value)) writer.stringField(field, String(item));
  };

export const message =
  (field: number, write: Message): WriteField =>
  (writer, value) =>
    writer.messageField(field, () => write(writer, value));

export const messages =
  (field: number, write: Message): WriteField =>
  (writer, value) => {
    for (const item of itemsOf(value)) writer.messageField(field, () => write(writer, item));
  };

export const map =
  (field: number, write: Message, pairField = 1): WriteField =>
  (writer, value) =>
    writePairs(writer, field, Object.entries(documentMembers(value)), write, pairField);

/** gnostic's Any holds YAML; JSON is YAML. */
export const anyValue =
  (field: number): WriteField =>
  (writer, value) =>
    writeAny(writer, field, value);

export const anyValues =
  (field: number): WriteField =>
  (writer, value) => {
    for (const item of (value as JsonValue[]).toReversed()) writeAny(writer, field, item);
  };

/** A map is a message with a list of named values. */
export function writePairs(
  writer: ProtobufWriter,
  field: number,
  pairs: readonly (readonly [string, JsonValue])[],
  write: Message,
  pairField = 1,
): void {
  writer.messageField(field, () => {
    for (const [name, item] of pairs.toReversed()) writeNamed(writer, pairField, name, message(2, write), item);
  });
}

export function writeNamed(writer: ProtobufWriter, field: number, name: string, write: WriteField, value: JsonValue): void {
  writer.messageField(field, () => {
    write(writer, value);
    writer.stringField(1, name);
  });
}

function writeAny(writer: ProtobufWriter, field: number, value: JsonValue): void {
  writer.messageField(field, () => writer.stringField(2, JSON.stringify(value)));
}

/** The named values of a map that is encoded in time slices, so that the event loop can serve other requests in between. */
export async function pairsInSlices(
  pairs: Iterable<readonly [string, JsonValue]>,
  write: Message,
  pairField: number,
): Promise<Buffer> {
  const slice = new TimeSlice();
  const writer = new ProtobufWriter();
  const encoded: Buffer[] = [];
  const value = message(2, write);
  for (const [name, item] of pairs) {
    writeNamed(writer, pairField, name, value, item);
    encoded.push(writer.finish());
    if (slice.over) await slice.rest();
  }
  return Buffer.concat(encoded);
}
