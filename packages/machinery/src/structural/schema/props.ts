import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts';

/** Getters for JSON schemas as CRDs contain them. An absent keyword has its zero value. */

export function textsOf(props: JsonObject, key: string): readonly string[] {
  const value = props[key];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/** A nested schema; undefined if it is absent or not a single schema. */
export function nestedSchema(props: JsonObject, key: string): JsonObject | undefined {
  const value = props[key];
  return isObject(value) ? value : undefined;
}

export function nestedSchemas(props: JsonObject, key: string): readonly JsonObject[] {
  const value = props[key];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Named schemas: properties, definitions and so on. */
export function namedSchemas(props: JsonObject, key: string): readonly (readonly [string, JsonObject])[] {
  const value = props[key];
  if (!isObject(value)) return [];
  return Object.keys(value).map((name) => [name, isObject(value[name]) ? value[name] : {}] as const);
}

export function property(props: JsonObject, name: string): JsonObject | undefined {
  const properties = props.properties;
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return undefined;
  const schema = properties[name];
  return isObject(schema) ? schema : {};
}

/** Whether a value is the zero value of its type. */
export function isZero(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === false || value === '' || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

const single = ['items', 'not', 'additionalProperties', 'additionalItems'];
const listed = ['items', 'allOf', 'anyOf', 'oneOf'];
const named = ['properties', 'patternProperties', 'definitions', 'dependencies'];

/** Whether the predicate holds for a schema or any nested schema. */
export function someSchema(props: JsonObject | undefined, predicate: (props: JsonObject) => boolean): boolean {
  if (props === undefined) return false;
  if (predicate(props)) return true;
  if (single.some((key) => someSchema(nestedSchema(props, key), predicate))) return true;
  if (listed.some((key) => nestedSchemas(props, key).some((each) => someSchema(each, predicate)))) return true;
  return named.some((key) => namedSchemas(props, key).some(([, each]) => someSchema(each, predicate)));
}
