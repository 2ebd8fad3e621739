import { builtinTypes } from '@tsukube/api';
import type { ObjectForm, ResourceNames, Schema, ServedVersion } from '@tsukube/apiserver';
import {
  type CheckedObject,
  type CompiledSchema,
  cannotUnmarshal,
  checkObject,
  goValueText,
  isObject,
  type JsonObject,
  type TypeCatalogue,
  type TypeDefinition,
} from '@tsukube/machinery';
import { findAll, PathMismatch, parsePath } from './json-path.ts';

export interface StructuralTypeParts {
  readonly group: string;
  readonly version: string;
  readonly names: Pick<ResourceNames, 'kind' | 'listKind'>;
  readonly compiled: () => CompiledSchema;
  /** The schema for OpenAPI. */
  readonly published: ObjectForm['published'];
}

/** The type of objects that a structural schema describes. Only their metadata has a built-in type. */
export function structuralType({ group, version, names, compiled, published }: StructuralTypeParts): Schema {
  const type = typeName(group, version, names.kind);
  return {
    catalogue: withMetadataOnly(type),
    type,
    listType: typeName(group, version, names.listKind),
    form: customForm(compiled, published),
  };
}

/** The OpenAPI name of the type: com.example.stable.v1.CronTab. */
function typeName(group: string, version: string, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

/** A catalogue in which the custom type has only `metadata`. */
function withMetadataOnly(type: string): TypeCatalogue {
  const definition: TypeDefinition = {
    name: type,
    fields: new Map([['metadata', { name: 'metadata', type: { is: 'object', ref: objectMeta }, number: 1 }]]),
  };
  return { get: (name) => (name === type ? definition : builtinTypes.get(name)) };
}

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const none: readonly string[] = [];

/** Custom objects: ObjectMeta is typed, the rest follows the schema of the definition. */
function customForm(schema: () => CompiledSchema, published: ObjectForm['published']): ObjectForm {
  return {
    published,
    check: (object) => checkCustom(object, schema()),
    get mergeSchema() {
      return schema().mergeSchema;
    },
  };
}

function checkCustom(object: JsonObject, schema: CompiledSchema): CheckedObject {
  const metadata = checkMetadata(object);
  if (metadata.error !== undefined) return { value: object, error: metadata.error, unknown: none };
  const { unknown, error } = schema.normalize(object, 'request');
  return { value: object, error, unknown: metadata.unknown.length === 0 ? unknown : [...metadata.unknown, ...unknown] };
}

/** Decodes the metadata as ObjectMeta, in place. */
function checkMetadata(object: JsonObject): { error?: string; unknown: readonly string[] } {
  const { metadata } = object;
  if (metadata === undefined || metadata === null) {
    object.metadata = {};
    return { unknown: none };
  }
  if (!isObject(metadata)) return { error: cannotUnmarshal(metadata, 'v1.ObjectMeta'), unknown: none };
  const { value, error, unknown } = checkObject(metadata, builtinTypes.get(objectMeta), builtinTypes);
  if (error !== undefined) return { error, unknown: none };
  object.metadata = value;
  // Kubernetes reports unknown metadata fields sorted.
  return { unknown: [...unknown].sort().map((text) => text.replace('unknown field "', 'unknown field "metadata.')) };
}

/** Selectable fields by their JSON paths. */
export function selectableFieldsOf(jsonPaths: readonly string[]): ServedVersion['selectableFields'] {
  if (jsonPaths.length === 0) return undefined;
  return Object.fromEntries(jsonPaths.map((jsonPath) => [jsonPath.replace(/^\./, ''), reader(jsonPath)]));
}

function reader(jsonPath: string): (object: JsonObject) => string {
  const steps = parsePath(jsonPath);
  return (object) => {
    try {
      const [value] = findAll(object, steps);
      return value === undefined || value === null ? '' : goValueText(value);
    } catch (error) {
      if (error instanceof PathMismatch) return '';
      throw error;
    }
  };
}
