/** What CEL reads of a structural schema, or of an OpenAPI one without references; a plain JSON schema node fits. */
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

/** The root of a resource always has a kind, an apiVersion and a name, whether its schema says so or not. */
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

/** The schema of the values of a map; undefined if there is none, or only a yes or no. */
export function valuesOf(schema: CelSchema): CelSchema | undefined {
  return typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined;
}
