import type { JsonObject, JsonValue } from '@tsukube/machinery';
import { ProtobufWriter } from './protobuf-writer.ts';
import type { NamedPiece, Swagger2Document } from './swagger2-document.ts';

/** The protobuf form of an OpenAPI 2 document (gnostic's openapi.v2.Document), which kubectl before 1.25 asks for. */
export function swagger2Protobuf(document: Swagger2Document): Buffer {
  const writer = new ProtobufWriter();
  writeFields(writer, headFields, document.head);
  writePairs(writer, 8, document.paths(), pathItem, 2);
  writePairs(writer, 9, document.definitions(), schema);
  writePairs(writer, 10, Object.entries(document.parameters()) as NamedPiece[], parameter);
  return writer.finish();
}

type WriteField = (writer: ProtobufWriter, value: JsonValue) => void;
type Message = (writer: ProtobufWriter, value: JsonValue) => void;
type Fields = Readonly<Record<string, WriteField>>;

/** Fields that are not in the table are vendor extensions, or nothing that can be said here. */
function writeFields(writer: ProtobufWriter, fields: Fields, object: JsonObject, extensionField?: number): void {
  for (const [key, value] of Object.entries(object)) {
    const write = fields[key];
    if (write) write(writer, value);
    else if (extensionField !== undefined && key.startsWith('x-'))
      writeNamed(writer, extensionField, key, () => writeAny(writer, 2, value));
  }
}

const text =
  (field: number): WriteField =>
  (writer, value) =>
    writer.string(field, value as string);

const flag =
  (field: number): WriteField =>
  (writer, value) =>
    writer.bool(field, value as boolean);

const texts =
  (field: number): WriteField =>
  (writer, value) => {
    for (const item of value as string[]) writer.string(field, item);
  };

const message =
  (field: number, write: Message): WriteField =>
  (writer, value) =>
    writer.message(field, () => write(writer, value));

const messages =
  (field: number, write: Message): WriteField =>
  (writer, value) => {
    for (const item of value as JsonValue[]) writer.message(field, () => write(writer, item));
  };

const map =
  (field: number, write: Message): WriteField =>
  (writer, value) =>
    writePairs(writer, field, Object.entries(value as JsonObject), write);

/** A map is a message with a list of pairs. */
function writePairs(
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

function writeNamed(writer: ProtobufWriter, field: number, name: string, writeValue: () => void): void {
  writer.message(field, () => {
    writer.string(1, name);
    writeValue();
  });
}

/** Any value is told as YAML, which JSON is. */
function writeAny(writer: ProtobufWriter, field: number, value: JsonValue): void {
  writer.message(field, () => writer.string(2, JSON.stringify(value)));
}

const objectOf =
  (fields: Fields, extensionField?: number): Message =>
  (writer, value) =>
    writeFields(writer, fields, value as JsonObject, extensionField);

const schema: Message = (writer, value) => writeFields(writer, schemaFields, value as JsonObject, 31);

const schemaFields: Fields = {
  $ref: text(1),
  format: text(2),
  title: text(3),
  description: text(4),
  default: (writer, value) => writeAny(writer, 5, value),
  pattern: text(13),
  uniqueItems: flag(16),
  required: texts(19),
  enum: (writer, value) => {
    for (const item of value as JsonValue[]) writeAny(writer, 20, item);
  },
  additionalProperties: message(21, (writer, value) =>
    typeof value === 'boolean' ? writer.bool(2, value) : message(1, schema)(writer, value),
  ),
  type: message(22, (writer, value) => texts(1)(writer, Array.isArray(value) ? value : [value])),
  items: message(23, message(1, schema)),
  allOf: messages(24, schema),
  properties: map(25, schema),
};

const bodyParameter = objectOf(
  { description: text(1), name: text(2), in: text(3), required: flag(4), schema: message(5, schema) },
  6,
);
const pathParameter = objectOf(
  { required: flag(1), in: text(2), description: text(3), name: text(4), type: text(5), format: text(6), uniqueItems: flag(19) },
  22,
);
const queryParameter = objectOf(
  { required: flag(1), in: text(2), description: text(3), name: text(4), type: text(6), format: text(7), uniqueItems: flag(20) },
  23,
);

const parameter: Message = (writer, value) => {
  const { in: place } = value as JsonObject;
  if (place === 'body') message(1, bodyParameter)(writer, value);
  else message(2, place === 'path' ? message(4, pathParameter) : message(3, queryParameter))(writer, value);
};

const reference = objectOf({ $ref: text(1) });
const parameterItem: Message = (writer, value) =>
  '$ref' in (value as JsonObject) ? message(2, reference)(writer, value) : message(1, parameter)(writer, value);

const response = objectOf({ description: text(1), schema: message(2, message(1, schema)) }, 5);

const operation = objectOf(
  {
    tags: texts(1),
    summary: text(2),
    description: text(3),
    operationId: text(5),
    produces: texts(6),
    consumes: texts(7),
    parameters: messages(8, parameterItem),
    responses: map(9, message(1, response)),
    schemes: texts(10),
    deprecated: flag(11),
  },
  13,
);

const pathItem = objectOf(
  {
    get: message(2, operation),
    put: message(3, operation),
    post: message(4, operation),
    delete: message(5, operation),
    options: message(6, operation),
    head: message(7, operation),
    patch: message(8, operation),
    parameters: messages(9, parameterItem),
  },
  10,
);

const apiKeySecurity = objectOf({ type: text(1), name: text(2), in: text(3), description: text(4) }, 5);
const securityRequirement: Message = (writer, value) => {
  for (const [name, scopes] of Object.entries(value as JsonObject)) {
    writeNamed(writer, 1, name, () => message(2, texts(1))(writer, scopes));
  }
};

const headFields: Fields = {
  swagger: text(1),
  info: message(2, objectOf({ title: text(1), version: text(2), description: text(3) })),
  security: messages(12, securityRequirement),
  securityDefinitions: map(13, message(2, apiKeySecurity)),
};
