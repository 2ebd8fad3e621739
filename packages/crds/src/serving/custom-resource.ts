import { builtinTypes } from '@tsukube/api';
import {
  type ConvertByWebhook,
  type Resource,
  type Schema,
  type ServedVersion,
  type Subresource,
  scaleSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  type CompiledSchema,
  type JsonObject,
  nameIsDNSSubdomain,
  type TypeCatalogue,
  type TypeDefinition,
  toOpenApi,
} from '@tsukube/machinery';
import { type DefinedVersion, type Definition, isTrue } from '../definition/definition.ts';
import { columnsOf, scaleColumns } from './columns.ts';
import { customForm, objectMeta } from './custom-form.ts';
import { deprecationWarning } from './deprecation.ts';
import { scalableBy } from './scale.ts';
import { selectableFieldsOf } from './selectable-fields.ts';
import { customStrategy, statusStrategy } from './strategy.ts';
import { typeName } from './type-name.ts';

export interface CustomResourceParts {
  readonly definition: Definition;
  readonly defined: DefinedVersion;
  readonly storagePrefix: string;
  /** By the name of a version. */
  readonly schemaOf: (version: string) => CompiledSchema;
  /** The schema of a version as it is in the definition. */
  readonly sourceOf: (version: string) => JsonObject | undefined;
  /** Used if the definition has a conversion webhook. */
  readonly convertByWebhook: ConvertByWebhook;
  /** Whether the definition is being deleted, now. */
  readonly isTerminating: () => boolean;
}

const scaleType = 'io.k8s.api.autoscaling.v1.Scale';
const scaleSchema: Schema = { catalogue: builtinTypes, type: scaleType, listType: `${scaleType}List` };

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const verbsWhileTerminating = ['delete', 'deletecollection', 'get', 'list', 'watch'];

/**
 * One version of a definition as a resource. Each version is a resource of its own: in memory its objects are in that
 * version, and they are converted where they are written to the store and read from it.
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
    announcedVerbs: isTrue(definition, 'Terminating') ? verbsWhileTerminating : verbs,
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
    columns: columnsOf(defined.columns),
    selectableFields: selectableFieldsOf(defined.selectableFields),
    unknownField: (field) => `field label not supported: ${field}`,
    deprecationWarning: deprecationWarning(definition, defined),
  };
}

/** Versions in which fields may be owned: they differ from this one in name, and in what they know. */
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
