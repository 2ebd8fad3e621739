import { type JsonObject, type JsonValue, ProtobufWriter } from '@tsukube/machinery';
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
  type WriteField,
  writeFields,
  writeNamed,
} from './protobuf-fields.ts';

/** The protobuf form of an OpenAPI 3 document (gnostic's openapi.v3.Document), encoded in time slices. */
export async function openApi3Protobuf(document: JsonObject): Promise<Buffer> {
  const { paths, components, ...rest } = document as { paths?: JsonObject; components?: JsonObject };
  const { schemas, ...others } = (components ?? {}) as { schemas?: JsonObject };
  const pathPairs = await pairsInSlices(Object.entries(paths ?? {}), pathItem, 1);
  const schemaPairs = await pairsInSlices(Object.entries(schemas ?? {}), anySchema, 1);
  const writer = new ProtobufWriter();
  if (components) {
    writer.messageField(5, () => {
      writeFields(writer, componentFields, others, 10);
      if (schemas) writer.bytesField(1, schemaPairs);
    });
  }
  if (paths) writer.bytesField(4, pathPairs);
  writeFields(writer, documentFields, rest, 9);
  return writer.finish();
}

const number =
  (field: number): WriteField =>
  (writer, value) =>
    writer.doubleField(field, Number(value));

const integer =
  (field: number): WriteField =>
  (writer, value) =>
    writer.intField(field, Number(value));

const reference = objectOf({ $ref: stringField(1) });

/** gnostic's `SchemaOrReference`, `ParameterOrReference` and so on. */
const orReference =
  (write: Message): Message =>
  (writer, value) =>
    '$ref' in documentMembers(value) ? message(2, reference)(writer, value) : message(1, write)(writer, value);

const schema: Message = (writer, value) => writeFields(writer, schemaFields, documentMembers(value), 36);
const anySchema = orReference(schema);

/** gnostic's DefaultType holds booleans, strings and numbers; other defaults are an empty message. */
const defaultValue: Message = (writer, value) => {
  if (typeof value === 'boolean') writer.boolField(2, value);
  else if (typeof value === 'string') writer.stringField(3, value);
  else if (typeof value !== 'object') writer.doubleField(1, Number(value));
};

const schemaFields: FieldWriters = {
  nullable: boolField(1),
  readOnly: boolField(3),
  writeOnly: boolField(4),
  externalDocs: message(6, objectOf({ description: stringField(1), url: stringField(2) }, 3)),
  example: anyValue(7),
  deprecated: boolField(8),
  title: stringField(9),
  multipleOf: number(10),
  maximum: number(11),
  exclusiveMaximum: boolField(12),
  minimum: number(13),
  exclusiveMinimum: boolField(14),
  maxLength: integer(15),
  minLength: integer(16),
  pattern: stringField(17),
  maxItems: integer(18),
  minItems: integer(19),
  uniqueItems: boolField(20),
  maxProperties: integer(21),
  minProperties: integer(22),
  required: stringFields(23),
  enum: anyValues(24),
  type: stringField(25),
  allOf: messages(26, anySchema),
  oneOf: messages(27, anySchema),
  anyOf: messages(28, anySchema),
  not: message(29, schema),
  items: message(30, message(1, anySchema)),
  properties: map(31, anySchema),
  additionalProperties: message(32, (writer, value) =>
    typeof value === 'boolean' ? writer.boolField(2, value) : message(1, anySchema)(writer, value),
  ),
  default: message(33, defaultValue),
  description: stringField(34),
  format: stringField(35),
};

const mediaType = objectOf({ schema: message(1, anySchema) }, 5);

const parameter = objectOf(
  {
    name: stringField(1),
    in: stringField(2),
    description: stringField(3),
    required: boolField(4),
    deprecated: boolField(5),
    schema: message(10, anySchema),
  },
  14,
);

const requestBody = objectOf({ description: stringField(1), content: map(2, mediaType), required: boolField(3) }, 4);
const response = objectOf({ description: stringField(1), content: map(3, mediaType) }, 5);

const securityRequirement: Message = (writer, value) => {
  for (const [name, scopes] of Object.entries(value as Record<string, JsonValue>).reverse())
    writeNamed(writer, 1, name, message(2, stringFields(1)), scopes);
};

const operation = objectOf(
  {
    tags: stringFields(1),
    summary: stringField(2),
    description: stringField(3),
    operationId: stringField(5),
    parameters: messages(6, orReference(parameter)),
    requestBody: message(7, orReference(requestBody)),
    responses: map(8, orReference(response), 2),
    deprecated: boolField(10),
    security: messages(11, securityRequirement),
  },
  13,
);

const pathItem = objectOf(
  {
    $ref: stringField(1),
    summary: stringField(2),
    description: stringField(3),
    get: message(4, operation),
    put: message(5, operation),
    post: message(6, operation),
    delete: message(7, operation),
    options: message(8, operation),
    head: message(9, operation),
    patch: message(10, operation),
    trace: message(11, operation),
    parameters: messages(13, orReference(parameter)),
  },
  14,
);

const securityScheme = objectOf(
  {
    type: stringField(1),
    description: stringField(2),
    name: stringField(3),
    in: stringField(4),
    scheme: stringField(5),
    bearerFormat: stringField(6),
  },
  9,
);

const componentFields: FieldWriters = { securitySchemes: map(7, orReference(securityScheme)) };

/** All members but `paths` and `components`. */
const documentFields: FieldWriters = {
  openapi: stringField(1),
  info: message(2, objectOf({ title: stringField(1), description: stringField(2), version: stringField(6) }, 7)),
  security: messages(6, securityRequirement),
};
