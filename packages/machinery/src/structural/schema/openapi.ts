import { isObject, type JsonObject, type JsonValue, setKey } from '../../json/value.ts';
import { isZero, someSchema, textsOf } from './props.ts';
import { isIntOrString, isStructural } from './structure.ts';

export interface OpenApiVersionOptions {
  /** OpenAPI v2: no alternatives, no nullable and, in Kubernetes, no defaults. */
  readonly v2: boolean;
  /** spec.preserveUnknownFields */
  readonly preserveUnknownFields?: boolean;
}

const conventions = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';
const types = new Set(['array', 'boolean', 'integer', 'number', 'object', 'string']);

/** Schemas of the fields that all objects have. */
const apiVersion: JsonObject = {
  description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
  type: 'string',
};
const kind: JsonObject = {
  description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
  type: 'string',
};
const embeddedApiVersion: JsonObject = {
  description: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
  type: 'string',
};
const embeddedKind: JsonObject = {
  description: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
  type: 'string',
};

/**
 * The published schema of a kind, without x-kubernetes-group-version-kind. `props` is the openAPIV3Schema of a version,
 * undefined if it has none. Never mutates it.
 */
export function toOpenApi(props: JsonObject | undefined, options: OpenApiVersionOptions): JsonObject {
  if (props === undefined || someSchema(props, hasOddType) || !isStructural(props)) return { type: 'object' };
  const keepsUnknown = props['x-kubernetes-preserve-unknown-fields'] === true || options.preserveUnknownFields === true;
  if (options.v2 && keepsUnknown) return { type: 'object' };
  const published = publish(props, options.v2);
  const properties: JsonObject = { ...(isObject(published.properties) && published.properties) };
  return { ...published, properties: { ...properties, apiVersion, kind, metadata: metadataReference(options.v2) } };
}

function hasOddType({ type }: JsonObject): boolean {
  return typeof type === 'string' && type !== '' && !types.has(type);
}

function metadataReference(v2: boolean): JsonObject {
  const description = `Standard object's metadata. More info: ${conventions}#metadata`;
  const name = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
  if (v2) return { description, $ref: `#/definitions/${name}` };
  return { description, allOf: [{ $ref: `#/components/schemas/${name}` }] };
}

function publish(props: JsonObject, v2: boolean): JsonObject {
  const node = v2 ? withoutAlternatives(props) : unfolded(props);
  const published: JsonObject = {};
  for (const key of Object.keys(node)) {
    const value = node[key] as JsonValue;
    if (key === 'properties' && isObject(value)) published.properties = publishAll(value, v2);
    else if ((key === 'items' || key === 'additionalProperties') && isObject(value)) published[key] = publish(value, v2);
    else if (!isZero(value) || key === 'default' || key === 'additionalProperties') published[key] = value;
  }
  return node['x-kubernetes-embedded-resource'] === true ? withMeta(published, v2) : published;
}

function publishAll(schemas: JsonObject, v2: boolean): JsonObject {
  const published: JsonObject = {};
  for (const name of Object.keys(schemas)) {
    const schema = schemas[name];
    setKey(published, name, publish(isObject(schema) ? schema : {}, v2));
  }
  return published;
}

/** kubectl rejects fields that are not in `properties`, so schemas that preserve unknown fields publish none. */
function withMeta(published: JsonObject, v2: boolean): JsonObject {
  if (v2 && published['x-kubernetes-preserve-unknown-fields'] === true) return published;
  const properties: JsonObject = { ...(isObject(published.properties) && published.properties) };
  const missing = ['kind', 'apiVersion'].filter((name) => !textsOf(published, 'required').includes(name));
  return {
    ...published,
    properties: { ...properties, apiVersion: embeddedApiVersion, kind: embeddedKind, metadata: metadataReference(v2) },
    required: [...textsOf(published, 'required'), ...missing],
  };
}

const intOrString: JsonObject[] = [{ type: 'integer' }, { type: 'string' }];

/** Adds the anyOf of x-kubernetes-int-or-string. */
function unfolded(props: JsonObject): JsonObject {
  if (props['x-kubernetes-int-or-string'] !== true || isIntOrString(props.anyOf)) return props;
  const allOf = Array.isArray(props.allOf) ? props.allOf : [];
  if (isObject(allOf[0]) && isIntOrString(allOf[0].anyOf)) return props;
  if (isZero(props.anyOf)) return { ...props, anyOf: intOrString };
  return { ...props, allOf: [{ anyOf: intOrString }, ...allOf] };
}

function withoutAlternatives(props: JsonObject): JsonObject {
  const { allOf, oneOf, anyOf, not, nullable, default: _, ...node } = props;
  const keepsUnknown = node['x-kubernetes-preserve-unknown-fields'] === true;
  if (nullable === true || (keepsUnknown && node.type === 'object')) delete node.type;
  if (nullable === true || keepsUnknown) {
    delete node.items;
    delete node.properties;
  }
  if (node.type === 'array' && !isObject(node.items)) delete node.type;
  const required = textsOf(props, 'required').filter((name) => !isNullable(node.properties, name));
  if (required.length < textsOf(props, 'required').length) node.required = required;
  if (isObject(node.additionalProperties) && node.additionalProperties.nullable === true) delete node.required;
  return node;
}

function isNullable(properties: JsonValue | undefined, name: string): boolean {
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return false;
  const schema = properties[name];
  return isObject(schema) && schema.nullable === true;
}
