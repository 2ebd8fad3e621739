import { builtinTypes } from '@tsukube/api';
import type { Converter, ResourceNames, Schema, ServedVersion } from '@tsukube/apiserver';
import { selectableFieldsOf, structuralType } from '@tsukube/crds';
import { apiVersionOf, type CompiledSchema, compileSchema, deepCopy, type JsonObject, toOpenApi } from '@tsukube/machinery';
import type { ResourceSchema } from '../schema/schema-types.ts';
import { SchemaError, structuralSchema } from '../schema/structural-schema.ts';
import { type TableColumn, tableColumns } from './columns.ts';

export interface VersionParts {
  readonly group: string;
  readonly version: string;
  readonly names: ResourceNames;
  readonly schema: ResourceSchema;
  readonly hasStatus: boolean;
  readonly columns: readonly TableColumn<never>[] | undefined;
  readonly age?: boolean | undefined;
  readonly selectableFields: readonly string[];
  /** True, or the text of the warning. */
  readonly deprecated: boolean | string | undefined;
}

/** A version with its schema, which is absent for a built-in type. */
export interface CompiledVersion {
  readonly served: ServedVersion;
  readonly source: JsonObject | undefined;
  readonly compiled: CompiledSchema | undefined;
}

/** Throws SchemaError or TypeError. */
export function compiledVersion(parts: VersionParts): CompiledVersion {
  const { group, version, names } = parts;
  const { schema, source, compiled } = schemaOf(parts);
  const served: ServedVersion = {
    group,
    version,
    schema,
    columns: tableColumns(parts.columns ?? [], parts.age),
    selectableFields: selectableFieldsOf(parts.selectableFields),
    unknownField: (field) => `field label not supported: ${field}`,
    ...(parts.deprecated && { deprecationWarning: warningText(parts.deprecated, `${group}/${version} ${names.kind}`) }),
  };
  return { served, source, compiled };
}

function warningText(deprecated: true | string, what: string): string {
  return deprecated === true ? `${what} is deprecated` : deprecated;
}

interface CompiledType {
  readonly schema: Schema;
  readonly source?: JsonObject;
  readonly compiled?: CompiledSchema;
}

function schemaOf({ group, version, names, schema, hasStatus }: VersionParts): CompiledType {
  if (typeof schema === 'string') return { schema: builtinType(schema, names.kind) };
  const source = structuralSchema(schema, names.kind, hasStatus);
  const compiled = compileSchema(source);
  const published = (dialect: string) => toOpenApi(source, { v2: dialect === 'swagger2', preserveUnknownFields: false });
  return { schema: structuralType({ group, version, names, compiled: () => compiled, published }), source, compiled };
}

function builtinType(name: string, kind: string): Schema {
  const metadata = hasType(name) ? builtinTypes.get(name).fields.get('metadata') : undefined;
  if (!metadata) throw new SchemaError(`the schema of ${kind} is "${name}", which is not a built-in type with metadata`);
  return { catalogue: builtinTypes, type: name, listType: `${name}List` };
}

function hasType(name: string): boolean {
  try {
    return builtinTypes.get(name) !== undefined;
  } catch {
    return false;
  }
}

/** Converts fields between two versions. Gets copies. */
export interface FieldConversion {
  toHub(object: JsonObject): object;
  fromHub(object: JsonObject): object;
}

/** The converter of another version. Metadata and kind are the same in all versions. */
export function converterOf(conversion: FieldConversion, own: ServedVersion, hub: CompiledVersion): Converter {
  return {
    toHub(object) {
      const converted = withMeta(object, conversion.toHub(deepCopy(object)), apiVersionOf(hub.served));
      hub.compiled?.applyDefaults(converted);
      return converted;
    },
    fromHub: (object) => withMeta(object, conversion.fromHub(deepCopy(object)), apiVersionOf(own)),
  };
}

function withMeta({ kind, metadata }: JsonObject, fields: object, apiVersion: string): JsonObject {
  return { ...(fields as JsonObject), kind: kind ?? '', apiVersion, metadata: metadata ?? {} };
}
