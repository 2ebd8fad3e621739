import { ProtobufWriter } from '@tsukube/machinery';
import {
  anyValue,
  anyValues,
  boolField,
  documentMembers,
  type FieldWriters,
  type Message,
  map,
  message,
  messages,
  objectOf,
  pairsInSlices,
  stringField,
  stringFields,
  writeFields,
  writeNamed,
  writePairs,
} from './protobuf-fields.ts';
import type { NamedPiece, Swagger2Document } from './swagger2-document.ts';

/** The protobuf form of an OpenAPI 2 document (gnostic's openapi.v2.Document), which kubectl before 1.25 asks for. */
export async function swagger2Protobuf(document: Swagger2Document): Promise<Buffer> {
  const paths = await pairsInSlices(document.paths(), pathItem, 2);
  const definitions = await pairsInSlices(document.definitions(), schema, 1);
  const writer = new ProtobufWriter();
  writePairs(writer, 10, Object.entries(document.parameters()) as NamedPiece[], parameter);
  writer.bytesField(9, definitions);
  writer.bytesField(8, paths);
  writeFields(writer, headFields, document.head);
  return writer.finish();
}

const schema: Message = (writer, value) => writeFields(writer, schemaFields, documentMembers(value), 31);

const schemaFields: FieldWriters = {
  $ref: stringField(1),
  format: stringField(2),
  title: stringField(3),
  description: stringField(4),
  default: anyValue(5),
  pattern: stringField(13),
  uniqueItems: boolField(16),
  required: stringFields(19),
  enum: anyValues(20),
  additionalProperties: message(21, (writer, value) =>
    typeof value === 'boolean' ? writer.boolField(2, value) : message(1, schema)(writer, value),
  ),
  type: message(22, (writer, value) => stringFields(1)(writer, Array.isArray(value) ? value : [value])),
  items: message(23, message(1, schema)),
  allOf: messages(24, schema),
  properties: map(25, schema),
};

const bodyParameter = objectOf(
  { description: stringField(1), name: stringField(2), in: stringField(3), required: boolField(4), schema: message(5, schema) },
  6,
);
const pathParameter = objectOf(
  {
    required: boolField(1),
    in: stringField(2),
    description: stringField(3),
    name: stringField(4),
    type: stringField(5),
    format: stringField(6),
    uniqueItems: boolField(19),
  },
  22,
);
const queryParameter = objectOf(
  {
    required: boolField(1),
    in: stringField(2),
    description: stringField(3),
    name: stringField(4),
    type: stringField(6),
    format: stringField(7),
    uniqueItems: boolField(20),
  },
  23,
);

const parameter: Message = (writer, value) => {
  const { in: place } = documentMembers(value);
  if (place === 'body') message(1, bodyParameter)(writer, value);
  else message(2, place === 'path' ? message(4, pathParameter) : message(3, queryParameter))(writer, value);
};

const reference = objectOf({ $ref: stringField(1) });
const parameterItem: Message = (writer, value) =>
  '$ref' in documentMembers(value) ? message(2, reference)(writer, value) : message(1, parameter)(writer, value);

const response = objectOf({ description: stringField(1), schema: message(2, message(1, schema)) }, 5);

const operation = objectOf(
  {
    tags: stringFields(1),
    summary: stringField(2),
    description: stringField(3),
    operationId: stringField(5),
    produces: stringFields(6),
    consumes: stringFields(7),
    parameters: messages(8, parameterItem),
    responses: map(9, message(1, response)),
    schemes: stringFields(10),
    deprecated: boolField(11),
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

const apiKeySecurity = objectOf(
  { type: stringField(1), name: stringField(2), in: stringField(3), description: stringField(4) },
  5,
);
const securityRequirement: Message = (writer, value) => {
  for (const [name, scopes] of Object.entries(documentMembers(value)).reverse())
    writeNamed(writer, 1, name, message(2, stringFields(1)), scopes);
};

const headFields: FieldWriters = {
  swagger: stringField(1),
  info: message(2, objectOf({ title: stringField(1), version: stringField(2), description: stringField(3) })),
  security: messages(12, securityRequirement),
  securityDefinitions: map(13, message(2, apiKeySecurity)),
};
