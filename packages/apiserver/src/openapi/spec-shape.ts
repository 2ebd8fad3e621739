import { isObject, type JsonValue } from '@tsukube/machinery';
import type { RemoteSpec } from './merge-specs.ts';

/** Whether a value has the JSON type that OpenAPI 2 requires. */
type Shape = (value: JsonValue) => boolean;

const text: Shape = (value) => typeof value === 'string';
const flag: Shape = (value) => typeof value === 'boolean';
const listOf =
  (shape: Shape): Shape =>
  (value) =>
    Array.isArray(value) && value.every(shape);
const mapOf =
  (shape: Shape): Shape =>
  (value) =>
    isObject(value) && Object.values(value).every(shape);

/** Members that the table does not name may have any type. */
const objectWith =
  (members: () => Readonly<Record<string, Shape>>): Shape =>
  (value) =>
    isObject(value) &&
    Object.entries(members()).every(([name, shape]) => !Object.hasOwn(value, name) || shape(value[name] ?? null));

const schemaMembers: Readonly<Record<string, Shape>> = {
  $ref: text,
  format: text,
  title: text,
  description: text,
  pattern: text,
  uniqueItems: flag,
  required: listOf(text),
  enum: (value) => Array.isArray(value),
  additionalProperties: (value) => flag(value) || schema(value),
  type: (value) => text(value) || listOf(text)(value),
  items: (value) => schema(value),
  allOf: (value) => listOf(schema)(value),
  properties: (value) => mapOf(schema)(value),
};
const schema = objectWith(() => schemaMembers);

const parameterMembers = {
  $ref: text,
  in: text,
  name: text,
  description: text,
  type: text,
  format: text,
  required: flag,
  uniqueItems: flag,
  schema,
};
const parameter = objectWith(() => parameterMembers);
const response = objectWith(() => ({ description: text, schema }));
const operationMembers = {
  tags: listOf(text),
  summary: text,
  description: text,
  operationId: text,
  produces: listOf(text),
  consumes: listOf(text),
  schemes: listOf(text),
  deprecated: flag,
  parameters: listOf(parameter),
  responses: mapOf(response),
};
const operation = objectWith(() => operationMembers);
const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];
const pathMembers = { ...Object.fromEntries(methods.map((method) => [method, operation])), parameters: listOf(parameter) };
const pathItem = objectWith(() => pathMembers);

/** The name of a piece whose members have other types than in OpenAPI 2; undefined if there is none. */
export function misshapenPiece({ paths, definitions, parameters }: RemoteSpec): string | undefined {
  const wrong =
    paths.find(([, item]) => !pathItem(item)) ??
    definitions.find(([, definition]) => !schema(definition)) ??
    parameters.find(([, each]) => !parameter(each));
  return wrong?.[0];
}
