import { builtinTypes } from '@tsukube/api';
import {
  type ConvertByWebhook,
  compareVersions,
  type Resource,
  type Schema,
  type ServedVersion,
  type Subresource,
  scaleSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import { type CompiledSchema, type JsonObject, nameIsDNSSubdomain, toOpenApi } from '@tsukube/machinery';
import { type DefinedVersion, type Definition, isDefinitionConditionTrue } from '../definition/definition.ts';
import { customColumns, scaleColumns } from './columns.ts';
import { scalableBy } from './scale.ts';
import { customStrategy, statusStrategy } from './strategy.ts';
import { selectableFieldsOf, structuralType } from './structural-type.ts';

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

/** The type of the scale subresource. */
const scaleType = 'io.k8s.api.autoscaling.v1.Scale';
export const scaleSchema: Schema = { catalogue: builtinTypes, type: scaleType, listType: `${scaleType}List` };

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
  const { group, acceptedNames: names, preserveUnknownFields } = definition;
  const published = (dialect: string) => toOpenApi(sourceOf(version), { v2: dialect === 'swagger2', preserveUnknownFields });
  return structuralType({ group, version, names, compiled: () => schemaOf(version), published });
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
