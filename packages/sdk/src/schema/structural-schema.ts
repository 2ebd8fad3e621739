import { validateNewSchema } from '@tsukube/crds';
import { deepEqual, FieldErrors, isObject, type JsonObject, type JsonValue, path } from '@tsukube/machinery';
import type { JsonSchema, StandardSchema } from './schema-types.ts';

/** The schema of a resource cannot be used. The message names the place. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
}

/**
 * A structural schema for the fields of a kind. JSON Schema of schema libraries is converted: references are inlined, `const`,
 * unions with null and numeric exclusive bounds are expressed in OpenAPI's words. Throws SchemaError.
 */
export function structuralSchema(schema: JsonSchema | StandardSchema, kind: string, hasStatus: boolean): JsonObject {
  const source = isStandard(schema) ? exported(schema, kind) : schema;
  // A copy without functions and symbols: schema objects of libraries carry both.
  const plain = JSON.parse(JSON.stringify(source)) as JsonValue;
  if (!isObject(plain)) throw new SchemaError(`the schema of ${kind} is not an object`);
  const structural = new Conversion(kind, plain).convert(plain, 'schema', 0);
  checkRoot(structural, kind);
  const errors = new FieldErrors();
  validateNewSchema(structural, path('schema'), hasStatus, errors);
  if (errors.length > 0) throw new SchemaError(`the schema of ${kind} is invalid: ${errors}`);
  return structural;
}

function isStandard(schema: JsonSchema | StandardSchema): schema is StandardSchema {
  return '~standard' in schema;
}

function exported({ '~standard': standard }: StandardSchema, kind: string): Record<string, unknown> {
  if (!standard.jsonSchema)
    throw new SchemaError(
      `the schema library of ${kind}${standard.vendor ? ` (${standard.vendor})` : ''} does not export JSON Schema: pass the JSON Schema itself`,
    );
  return standard.jsonSchema.output({ target: 'draft-2020-12' });
}

const metaFields = ['apiVersion', 'kind', 'metadata'];

function checkRoot({ type, properties }: JsonObject, kind: string): void {
  if (type !== 'object') throw new SchemaError(`the schema of ${kind} must have type object`);
  const given = metaFields.filter((name) => isObject(properties) && Object.hasOwn(properties, name));
  if (given.length > 0)
    throw new SchemaError(`the schema of ${kind} must leave out ${given.join(', ')}: every object has these fields`);
}

const maxDepth = 60;
/** Keywords without a meaning for validation that structural schemas do not have. */
const dropped = new Set([
  '$schema',
  '$id',
  '$anchor',
  '$comment',
  '$defs',
  'definitions',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'propertyNames',
  'contentEncoding',
  'contentMediaType',
  '~kind',
  '~optional',
  '~readonly',
  '~standard',
]);

class Conversion {
  readonly #kind: string;
  readonly #root: JsonObject;

  constructor(kind: string, root: JsonObject) {
    this.#kind = kind;
    this.#root = root;
  }

  convert(schema: JsonValue | undefined, at: string, depth: number): JsonObject {
    if (schema === true) return { 'x-kubernetes-preserve-unknown-fields': true };
    if (!isObject(schema)) throw this.#error(at, 'is not a schema');
    if (depth > maxDepth)
      throw this.#error(at, 'is nested too deeply, or refers to itself: objects of an API have a finite depth');
    if (typeof schema.$ref === 'string') return this.#referenced(schema, schema.$ref, at, depth);
    const union = this.#union(schema, at);
    if (union) return this.convert(union, at, depth + 1);
    const result: JsonObject = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (dropped.has(keyword) || value === undefined) continue;
      this.#keyword(keyword, value, schema, result, at, depth);
    }
    if (Object.keys(result).every((keyword) => describing.has(keyword))) result['x-kubernetes-preserve-unknown-fields'] = true;
    return result;
  }

  #keyword(keyword: string, value: JsonValue, schema: JsonObject, result: JsonObject, at: string, depth: number): void {
    switch (keyword) {
      case 'properties':
        result.properties = this.#each(value, `${at}.properties`, depth);
        return;
      case 'items':
        result.items = this.convert(value, `${at}.items`, depth + 1);
        return;
      case 'additionalProperties':
        // Unknown fields are pruned, or refused by strict field validation: both need no keyword.
        if (value === false || isObject(schema.properties)) return;
        result.additionalProperties = this.convert(value, `${at}.additionalProperties`, depth + 1);
        return;
      case 'const':
        result.enum = [value];
        if (result.type === undefined) setType(result, typeOf(value));
        return;
      case 'type':
        this.#type(value, result, at);
        return;
      case 'exclusiveMinimum':
      case 'exclusiveMaximum':
        this.#exclusive(keyword, value, schema, result);
        return;
      case 'prefixItems':
      case 'patternProperties':
      case 'if':
      case 'dependentSchemas':
      case 'unevaluatedProperties':
        throw this.#error(at, `has ${keyword}, which structural schemas cannot express`);
      default:
        result[keyword] = value;
    }
  }

  #each(properties: JsonValue, at: string, depth: number): JsonObject {
    if (!isObject(properties)) throw this.#error(at, 'is not an object');
    const converted: JsonObject = {};
    // __proto__ is a name like any other.
    for (const [name, schema] of Object.entries(properties))
      Object.defineProperty(converted, name, {
        value: this.convert(schema, `${at}[${name}]`, depth + 1),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    return converted;
  }

  /** JSON Schema may list types: `null` among them means nullable. */
  #type(value: JsonValue, result: JsonObject, at: string): void {
    const types = (Array.isArray(value) ? value : [value]).filter((type) => type !== 'null');
    if (Array.isArray(value) && types.length < value.length) result.nullable = true;
    if (types.length === 2 && types.includes('string') && types.includes('integer')) result['x-kubernetes-int-or-string'] = true;
    else if (types.length === 1 && types[0] !== undefined) result.type = types[0];
    else throw this.#error(at, `has type ${JSON.stringify(value)}: a structural schema has one type`);
  }

  /** A bound in JSON Schema, a flag beside the bound in OpenAPI 3.0. */
  #exclusive(keyword: 'exclusiveMinimum' | 'exclusiveMaximum', value: JsonValue, schema: JsonObject, result: JsonObject): void {
    if (typeof value !== 'number') {
      result[keyword] = value;
      return;
    }
    const bound = keyword === 'exclusiveMinimum' ? 'minimum' : 'maximum';
    const inclusive = schema[bound];
    const isStricter = typeof inclusive !== 'number' || (bound === 'minimum' ? value >= inclusive : value <= inclusive);
    if (!isStricter) return;
    result[bound] = value;
    result[keyword] = true;
  }

  /** Unions that OpenAPI has other words for: with null, of string and integer, of constants. Undefined if there is none. */
  #union(schema: JsonObject, at: string): JsonObject | undefined {
    const { anyOf, oneOf, ...rest } = schema;
    const branches = anyOf ?? oneOf;
    if (!Array.isArray(branches) || schema.type !== undefined || schema['x-kubernetes-int-or-string'] === true) return undefined;
    const others = branches.filter((branch) => !isObject(branch) || branch.type !== 'null');
    const nullable: JsonObject = others.length < branches.length ? { nullable: true } : {};
    const [first] = others;
    if (others.length === 1 && isObject(first)) return { ...rest, ...first, ...nullable };
    const types = others.map((branch) => (isObject(branch) ? (branch.type ?? typeOf(branch.const)) : undefined));
    const constants = others.flatMap((branch) => (isObject(branch) && branch.const !== undefined ? [branch.const] : []));
    if (constants.length === others.length && types.every((type) => type === types[0]))
      return { ...rest, type: types[0] as string, enum: constants, ...nullable };
    if (types.length === 2 && types.includes('string') && types.includes('integer'))
      return { ...rest, 'x-kubernetes-int-or-string': true, ...nullable };
    if (types.every((type) => type === 'object')) return { ...rest, ...this.#merged(others.filter(isObject), at), ...nullable };
    throw this.#error(at, 'is a union of different types, which structural schemas cannot express');
  }

  /** Objects of several forms, such as a discriminated union: the fields of all forms, and the forms as validation. */
  #merged(branches: readonly JsonObject[], at: string): JsonObject {
    const properties: JsonObject = {};
    for (const branch of branches) {
      for (const [name, schema] of Object.entries(isObject(branch.properties) ? branch.properties : {})) {
        const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
        if (known === undefined || deepEqual(known, schema)) properties[name] = schema;
        else if (isConstant(known) && isConstant(schema))
          properties[name] = { type: 'string', enum: [...constantsOf(known), ...constantsOf(schema)] };
        else throw this.#error(`${at}.${name}`, 'differs between the forms of a union');
      }
    }
    const forms = branches.map(({ required, properties: own }) => ({
      ...(Array.isArray(required) && { required }),
      properties: Object.fromEntries(
        Object.entries(isObject(own) ? own : {}).flatMap(([name, schema]) =>
          isConstant(schema) ? [[name, { enum: constantsOf(schema) }]] : [],
        ),
      ),
    }));
    return { type: 'object', properties, oneOf: forms };
  }

  /** References are inlined: Kubernetes does not allow them. */
  #referenced({ $ref: _, ...rest }: JsonObject, reference: string, at: string, depth: number): JsonObject {
    let target: JsonValue | undefined = this.#root;
    if (!reference.startsWith('#')) throw this.#error(at, `refers to ${reference}, which is not in the schema`);
    for (const part of reference.slice(1).split('/').filter(Boolean)) {
      const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
      target = isObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
    }
    if (!isObject(target)) throw this.#error(at, `refers to ${reference}, which is not in the schema`);
    return this.convert({ ...target, ...rest }, at, depth + 1);
  }

  #error(at: string, problem: string): SchemaError {
    return new SchemaError(`the schema of ${this.#kind} cannot be used: ${at} ${problem}`);
  }
}

/** A schema of only these keywords accepts any value. */
const describing = new Set(['title', 'description', 'default', 'nullable']);

function typeOf(value: JsonValue | undefined): string | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'string' || typeof value === 'boolean' ? typeof value : undefined;
}

function setType(schema: JsonObject, type: string | undefined): void {
  if (type !== undefined) schema.type = type;
}

function isConstant(schema: JsonValue | undefined): schema is JsonObject {
  return isObject(schema) && (schema.const !== undefined || Array.isArray(schema.enum));
}

function constantsOf({ const: constant, enum: values }: JsonObject): JsonValue[] {
  return constant !== undefined ? [constant] : [...(values as JsonValue[])];
}
