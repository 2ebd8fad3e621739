import { escapeName } from './escape.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  objectType,
  stringType,
  timestampType,
} from './type.ts';

/** A type with the size bounds used for cost estimation. */
export interface DeclaredType {
  readonly type: CelType;
  /** Maximum number of characters, items or properties. */
  readonly maxElements: number;
  /** Minimum size as JSON in bytes. */
  readonly minSerializedSize: number;
  readonly element?: DeclaredType;
  readonly key?: DeclaredType;
  /** Declared type of a field, by its escaped name. */
  readonly field?: (name: string) => DeclaredType | undefined;
}

/** Request body limit: the upper bound of everything without its own limit. */
export const maxRequestBytes = 3 * 1024 * 1024;

const textSize = 2;
const sizes = { duration: { min: 3, max: 32 }, date: { min: 12, max: 12 }, 'date-time': { min: 21, max: 32 } } as const;
const formatTypes = { duration: durationType, date: timestampType, 'date-time': timestampType } as const;

const declaredBool: DeclaredType = { type: boolType, maxElements: 0, minSerializedSize: 4 };
const declaredDouble: DeclaredType = { type: doubleType, maxElements: 0, minSerializedSize: 1 };
const declaredInt: DeclaredType = { type: intType, maxElements: 0, minSerializedSize: 1 };
const declaredKey: DeclaredType = { type: stringType, maxElements: 0, minSerializedSize: textSize };

/**
 * The CEL type of a schema; undefined if it is not accessible to expressions. `name` is used for object types: fields are
 * `name.field`, items `name.@idx`, map values `name.@elem`.
 */
export function declareType(schema: CelSchema, resourceRoot: boolean, name: string): DeclaredType | undefined {
  if (schema['x-kubernetes-int-or-string']) return declareIntOrString(schema);
  const node = resourceRoot ? withTypeAndObjectMeta(schema) : schema;
  switch (node.type) {
    case 'array':
      return declareList(node, name);
    case 'object':
      return declareObject(node, name);
    case 'string':
      return declareString(node);
    case 'boolean':
      return declaredBool;
    case 'number':
      return declaredDouble;
    case 'integer':
      return declaredInt;
    default:
      return undefined;
  }
}

function declareNested(schema: CelSchema, name: string): DeclaredType | undefined {
  return declareType(schema, schema['x-kubernetes-embedded-resource'] === true, name);
}

function declareIntOrString({ maxLength }: CelSchema): DeclaredType {
  const maxElements = maxLength === undefined ? maxRequestBytes - 2 : bytesFor(maxLength);
  return { type: dynType, maxElements, minSerializedSize: 1 };
}

function declareList(schema: CelSchema, name: string): DeclaredType | undefined {
  if (schema.items === undefined) return undefined;
  const element = declareNested(schema.items, `${name}.@idx`);
  if (element === undefined) return undefined;
  const maxElements = atLeastZero(schema.maxItems) ?? Math.floor((maxRequestBytes - 2) / (element.minSerializedSize + 1));
  return { type: listType(element.type), maxElements, minSerializedSize: 2, element };
}

function declareObject(schema: CelSchema, name: string): DeclaredType | undefined {
  const values = valuesOf(schema);
  return values === undefined ? declareProperties(schema, name) : declareMap(schema, values, name);
}

function declareMap(schema: CelSchema, values: CelSchema, name: string): DeclaredType | undefined {
  const element = declareNested(values, `${name}.@elem`);
  if (element === undefined) return undefined;
  const maxElements = atLeastZero(schema.maxProperties) ?? Math.floor((maxRequestBytes - 2) / (element.minSerializedSize + 6));
  return { type: mapType(stringType, element.type), maxElements, minSerializedSize: 2, element, key: declaredKey };
}

function declareProperties(schema: CelSchema, name: string): DeclaredType {
  const properties = new Map(Object.entries(schema.properties ?? {}).map(([key, value]) => [escapeName(key), value]));
  const declared = new Map<string, DeclaredType | undefined>();
  const field = (escaped: string): DeclaredType | undefined => {
    const property = properties.get(escaped);
    if (property === undefined) return undefined;
    if (!declared.has(escaped)) declared.set(escaped, declareNested(property, `${name}.${escaped}`));
    return declared.get(escaped);
  };
  return {
    type: objectType(name, (written) => (field(written) ?? field(`__${written}__`))?.type),
    maxElements: 0,
    minSerializedSize: leastSizeOfObject(schema, name),
    field,
  };
}

/** Braces plus every required property without a default. */
function leastSizeOfObject(schema: CelSchema, name: string): number {
  let size = 2;
  for (const key of new Set(schema.required)) {
    const property = Object.hasOwn(schema.properties ?? {}, key) ? schema.properties?.[key] : undefined;
    if (property === undefined || (property.default ?? null) !== null) continue;
    const declared = declareNested(property, name);
    if (declared !== undefined) size += Buffer.byteLength(key) + declared.minSerializedSize + 4;
  }
  return size;
}

function declareString(schema: CelSchema): DeclaredType {
  const { format, maxLength } = schema;
  if (format === 'byte') {
    return { type: bytesType, maxElements: atLeastZero(maxLength) ?? maxRequestBytes - 2, minSerializedSize: textSize };
  }
  if (format === 'duration' || format === 'date' || format === 'date-time') {
    return { type: formatTypes[format], maxElements: sizes[format].max, minSerializedSize: sizes[format].min };
  }
  return { type: stringType, maxElements: longestString(schema), minSerializedSize: textSize };
}

function longestString(schema: CelSchema): number {
  if (schema.maxLength !== undefined) return bytesFor(schema.maxLength);
  if (schema.enum === undefined || schema.enum.length === 0) return maxRequestBytes - 2;
  return schema.enum.reduce<number>(
    (most, each) => (typeof each === 'string' ? Math.max(most, Buffer.byteLength(each)) : most),
    0,
  );
}

/** maxLength counts characters of up to four bytes. */
function bytesFor(maxLength: number): number {
  return Math.max(maxLength, 0) * 4;
}

function atLeastZero(value: number | undefined): number | undefined {
  return value === undefined ? undefined : Math.max(value, 0);
}

/** The part of a structural or OpenAPI schema (without $ref) that CEL uses. */
export interface CelSchema {
  readonly type?: string;
  readonly format?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly properties?: { readonly [name: string]: CelSchema };
  readonly additionalProperties?: CelSchema | boolean;
  readonly items?: CelSchema;
  readonly required?: readonly string[];
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-embedded-resource'?: boolean;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
}

const text: CelSchema = { type: 'string' };

/** The root of a resource always has kind, apiVersion, metadata.name and metadata.generateName. */
export function withTypeAndObjectMeta(schema: CelSchema): CelSchema {
  return hasTypeAndObjectMeta(schema) ? schema : { ...schema, properties: withMetaProperties(schema) };
}

function hasTypeAndObjectMeta(schema: CelSchema): boolean {
  const metadata = propertyOf(schema, 'metadata');
  return (
    propertyOf(schema, 'kind')?.type === 'string' &&
    propertyOf(schema, 'apiVersion')?.type === 'string' &&
    metadata?.type === 'object' &&
    propertyOf(metadata, 'name')?.type === 'string' &&
    propertyOf(metadata, 'generateName')?.type === 'string'
  );
}

function withMetaProperties(schema: CelSchema): { readonly [name: string]: CelSchema } {
  const metadata: CelSchema = { type: 'object', properties: { name: text, generateName: text } };
  return { ...schema.properties, kind: text, apiVersion: text, metadata };
}

export function propertyOf(schema: CelSchema, name: string): CelSchema | undefined {
  const { properties } = schema;
  return properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

/** Schema of additionalProperties; undefined if absent or boolean. */
export function valuesOf(schema: CelSchema): CelSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
