import { builtinTypes } from '@tsukube/api';
import {
  type ConvertByWebhook,
  compareVersions,
  type ObjectForm,
  type Resource,
  type Schema,
  type ServedVersion,
  type Subresource,
  scaleSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  type CheckedObject,
  type CompiledSchema,
  cannotUnmarshal,
  checkObject,
  goValueText,
  isObject,
  type JsonObject,
  nameIsDNSSubdomain,
  type TypeCatalogue,
  type TypeDefinition,
  toOpenApi,
} from '@tsukube/machinery';
import { type DefinedVersion, type Definition, isDefinitionConditionTrue } from '../definition/definition.ts';
import { customColumns, scaleColumns } from './columns.ts';
import { findAll, PathMismatch, parsePath } from './json-path.ts';
import { scalableBy } from './scale.ts';
import { customStrategy, statusStrategy } from './strategy.ts';

export interface CustomResourceParts {
  readonly definition: Definition;
  readonly defined: DefinedVersion;
  readonly storagePrefix: string;
  /** The compiled schema of a version. */
  readonly schemaOf: (version: string) => CompiledSchema;
  /** The schema of a version as written in the definition. */
  readonly sourceOf: (version: string) => JsonObject | undefined;
  /** Used if the definition has a conversion webhook. */
  readonly convertByWebhook: ConvertByWebhook;
  /** Whether the definition is being deleted. */
  readonly isTerminating: () => boolean;
}

const scaleType = 'io.k8s.api.autoscaling.v1.Scale';
const scaleSchema: Schema = { catalogue: builtinTypes, type: scaleType, listType: `${scaleType}List` };

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const verbsWhileTerminating = ['delete', 'deletecollection', 'get', 'list', 'watch'];

/**
 * One version of a definition as a Resource. Each version has its own watch cache with objects in that version; they are
 * converted between the cache and the store.
 */
export function customResource(parts: CustomResourceParts): Resource {
  const { definition, defined } = parts;
  const served = servedVersion(parts, defined);
  return {
    names: definition.acceptedNames,
    scope: definition.scope,
    storagePrefix: parts.storagePrefix,
    hub: served,
    hashedVersion: definition.storageVersion,
    versions: [served],
    relatedVersions: relatedVersions(parts, served),
    strictOwnership: true,
    ...(definition.conversion.strategy === 'Webhook' && { convertByWebhook: parts.convertByWebhook }),
    state: `${definition.uid} ${definition.generation} ${JSON.stringify(definition.acceptedNames)}`,
    announcedVerbs: isDefinitionConditionTrue(definition, 'Terminating') ? verbsWhileTerminating : verbs,
    strategy: { validateName: nameIsDNSSubdomain, ...customStrategy(rulesOf(parts)) },
    verbs: storedVerbs,
    subresources: subresourcesOf(parts),
  };
}

function rulesOf({ definition, defined, schemaOf, isTerminating }: CustomResourceParts) {
  const { group, acceptedNames } = definition;
  const { kind, plural } = acceptedNames;
  return { kind, names: { group, resource: plural }, defined, schema: () => schemaOf(defined.name), isTerminating };
}

function servedVersion(parts: CustomResourceParts, defined: DefinedVersion): ServedVersion {
  const { definition } = parts;
  const { group } = definition;
  return {
    group,
    version: defined.name,
    schema: schemaFor(parts, defined.name),
    columns: customColumns(defined.columns),
    selectableFields: selectableFieldsOf(defined.selectableFields),
    unknownField: (field) => `field label not supported: ${field}`,
    deprecationWarning: deprecationWarning(definition, defined),
  };
}

/** The other versions of the definition, in which field managers may own fields. */
function relatedVersions(parts: CustomResourceParts, own: ServedVersion): readonly ServedVersion[] {
  const { definition, defined } = parts;
  const others = definition.versions.filter(({ name }) => name !== defined.name);
  return others.map(({ name }) => ({
    group: definition.group,
    version: name,
    schema: schemaFor(parts, name),
    converter: {
      toHub: (object) => renamed(object, `${definition.group}/${own.version}`),
      fromHub: (object) => renamed(object, `${definition.group}/${name}`),
    },
  }));
}

function renamed(object: JsonObject, apiVersion: string): JsonObject {
  return { ...object, apiVersion };
}

function schemaFor({ definition, schemaOf, sourceOf }: CustomResourceParts, version: string): Schema {
  const { kind, listKind } = definition.acceptedNames;
  const type = typeName(definition.group, version, kind);
  const { preserveUnknownFields } = definition;
  const published = (dialect: string) => toOpenApi(sourceOf(version), { v2: dialect === 'swagger2', preserveUnknownFields });
  return {
    catalogue: withMetadataOnly(type),
    type,
    listType: typeName(definition.group, version, listKind),
    form: customForm(() => schemaOf(version), published),
  };
}

/** A catalogue in which the custom type has only `metadata`. */
function withMetadataOnly(type: string): TypeCatalogue {
  const definition: TypeDefinition = {
    name: type,
    fields: new Map([['metadata', { name: 'metadata', type: { is: 'object', ref: objectMeta }, number: 1 }]]),
  };
  return { get: (name) => (name === type ? definition : builtinTypes.get(name)) };
}

function subresourcesOf(parts: CustomResourceParts): Readonly<Record<string, Subresource>> | undefined {
  const { defined } = parts;
  if (!defined.hasStatus && !defined.scale) return undefined;
  return {
    ...(defined.hasStatus && { status: statusSubresource(parts) }),
    ...(defined.scale && { scale: scaleSubresource(scalableBy(defined.scale), scaleSchema, scaleColumns()) }),
  };
}

function statusSubresource(parts: CustomResourceParts): Subresource {
  const { get, update, patch } = storedVerbs;
  return { verbs: { get, update, patch }, strategy: statusStrategy(rulesOf(parts)) };
}

/** The OpenAPI name of the type: com.example.stable.v1.CronTab. */
function typeName(group: string, version: string, kind: string): string {
  return `${group.split('.').reverse().join('.')}.${version}.${kind}`;
}

/** The deprecation warning of the definition, or one that names a newer version. */
function deprecationWarning({ group, versions, names }: Definition, defined: DefinedVersion): string | undefined {
  if (!defined.deprecated) return undefined;
  if (defined.deprecationWarning !== undefined) return defined.deprecationWarning;
  const better = versions
    .filter(({ name, served, deprecated }) => served && !deprecated && compareVersions(name, defined.name) < 0)
    .map(({ name }) => name)
    .sort(compareVersions)[0];
  const warning = `${group}/${defined.name} ${names.kind} is deprecated`;
  return better === undefined ? warning : `${warning}; use ${group}/${better} ${names.kind}`;
}

/** The selectableFields of a definition as functions. */
function selectableFieldsOf(jsonPaths: readonly string[]): ServedVersion['selectableFields'] {
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
