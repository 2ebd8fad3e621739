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

/** Gives all schemas of a definition the form of their type. Changes the definition; fails with a bad request. */
export function formSchemas(spec: JsonObject): void {
  for (const version of objectsIn(spec, 'versions')) {
    const schema = objectIn(objectIn(version, 'schema'), 'openAPIV3Schema');
    if (schema) formBelow(schema, rootPath);
  }
}

/**
 * What may be a schema or something else is left by decoding as it is. `at` is where the schema is, as messages of Go's
 * decoder tell it.
 */
function formBelow(schema: JsonObject, at: string): void {
  formItems(schema, at);
  for (const key of ['additionalProperties', 'additionalItems']) formOrFlag(schema, key, at);
  formNamed(schema, 'dependencies', at, (value, below) => (isObject(value) ? formed(value, below) : value));
  for (const key of ['properties', 'patternProperties', 'definitions'])
    formNamed(schema, key, at, (value, below) => {
      if (isObject(value)) formBelow(value, below);
      return value;
    });
  for (const key of ['allOf', 'anyOf', 'oneOf'])
    for (const each of objectsIn(schema, key)) if (isObject(each)) formBelow(each, `${at}.${key}`);
  const not = objectIn(schema, 'not');
  if (not) formBelow(not, `${at}.not`);
  for (const key of ['default', 'example', 'enum']) {
    const value = schema[key];
    if (typeof value === 'object' && value !== null) schema[key] = sortKeys(value);
  }
}

function formItems(schema: JsonObject, at: string): void {
  const { items } = schema;
  if (isObject(items)) schema.items = formed(items, `${at}.items`);
  else if (Array.isArray(items)) schema.items = items.map((each) => (isObject(each) ? formed(each, `${at}.items`) : each));
  else delete schema.items;
}

function formOrFlag(schema: JsonObject, key: string, at: string): void {
  const value = schema[key] ?? null;
  if (isObject(value)) schema[key] = formed(value, `${at}.${key}`);
  else if (value === null) delete schema[key];
  else if (typeof value !== 'boolean') throw refusal('boolean or JSON schema expected');
}

function formNamed(schema: JsonObject, key: string, at: string, form: (value: JsonValue, at: string) => JsonValue): void {
  const schemas = objectIn(schema, key);
  if (!schemas) return;
  for (const name of Object.keys(schemas)) setKey(schemas, name, form(schemas[name] as JsonValue, `${at}.${key}`));
}

function formed(value: JsonObject, at: string): JsonObject {
  const { value: schema, error } = checkObject(value, builtinTypes.get(type), builtinTypes);
  if (error !== undefined) throw refusal(error.replace('struct field JSONSchemaProps.', `struct field JSONSchemaProps.${at}.`));
  formBelow(schema, at);
  return schema;
}

function refusal(error: string): StatusError {
  const kind = 'CustomResourceDefinition';
  return StatusError.badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${error}`);
}
