import { builtinTypes } from '@tsukube/api';
import {
  checkObject,
  isObject,
  type JsonObject,
  type JsonValue,
  objectIn,
  objectsIn,
  StatusError,
  setKey,
  sortKeys,
} from '@tsukube/machinery';

const type = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps';
const rootPath = 'spec.versions.schema.openAPIV3Schema';

/** Decodes nested schemas as JSONSchemaProps, in place: unknown fields are dropped. Throws 400 for invalid ones. */
export function normalizeSchemas(spec: JsonObject): void {
  for (const version of objectsIn(spec, 'versions')) {
    const schema = objectIn(objectIn(version, 'schema'), 'openAPIV3Schema');
    if (schema) normalizeBelow(schema, rootPath);
  }
}

/**
 * Handles the fields that are a union of a schema and another type, which generic decoding leaves as they are. `at` is the
 * path in the error messages of Go's decoder.
 */
function normalizeBelow(schema: JsonObject, at: string): void {
  normalizeItems(schema, at);
  for (const key of ['additionalProperties', 'additionalItems']) normalizeSchemaOrBool(schema, key, at);
  normalizeMap(schema, 'dependencies', at, (value, below) => (isObject(value) ? decoded(value, below) : value));
  for (const key of ['properties', 'patternProperties', 'definitions'])
    normalizeMap(schema, key, at, (value, below) => {
      if (isObject(value)) normalizeBelow(value, below);
      return value;
    });
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    for (const each of objectsIn(schema, key)) if (isObject(each)) normalizeBelow(each, `${at}.${key}`);
  const not = objectIn(schema, 'not');
  if (not) normalizeBelow(not, `${at}.not`);
  for (const key of ['default', 'example', 'enum']) {
    const value = schema[key];
    if (typeof value === 'object' && value !== null) schema[key] = sortKeys(value);
  }
}

function normalizeItems(schema: JsonObject, at: string): void {
  const { items } = schema;
  if (isObject(items)) schema.items = decoded(items, `${at}.items`);
  else if (Array.isArray(items)) schema.items = items.map((each) => (isObject(each) ? decoded(each, `${at}.items`) : each));
  else delete schema.items;
}

function normalizeSchemaOrBool(schema: JsonObject, key: string, at: string): void {
  const value = schema[key] ?? null;
  if (isObject(value)) schema[key] = decoded(value, `${at}.${key}`);
  else if (value === null) delete schema[key];
  else if (typeof value !== 'boolean') throw decodeError('boolean or JSON schema expected');
}

function normalizeMap(schema: JsonObject, key: string, at: string, form: (value: JsonValue, at: string) => JsonValue): void {
  const schemas = objectIn(schema, key);
  if (!schemas) return;
  for (const name of Object.keys(schemas)) setKey(schemas, name, form(schemas[name] as JsonValue, `${at}.${key}`));
}

function decoded(value: JsonObject, at: string): JsonObject {
  const { value: schema, error } = checkObject(value, builtinTypes.get(type), builtinTypes);
  if (error !== undefined)
    throw decodeError(error.replace('struct field JSONSchemaProps.', `struct field JSONSchemaProps.${at}.`));
  normalizeBelow(schema, at);
  return schema;
}

function decodeError(error: string): StatusError {
  const kind = 'CustomResourceDefinition';
  return StatusError.badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${error}`);
}
