import { type CacheEntry, decodeObject } from '@tsukube/apiserver';
import { isObject, type JsonObject, type JsonValue, memoize } from '@tsukube/machinery';
import type {
  Condition,
  Conversion,
  DefinedColumn,
  DefinedVersion,
  Definition,
  DefinitionNames,
  ScalePaths,
} from './definition.ts';

/** Parses a stored definition, once for each entry. */
export const definitionOf = memoize((entry: CacheEntry): Definition => readDefinition(decodeObject(entry.value), entry.revision));

/** Parses the schema of a version; not cached. */
export function storedSchema(entry: CacheEntry, version: string): JsonObject | undefined {
  const spec = objectOf(decodeObject(entry.value).spec);
  const found = objectsOf(spec.versions).find(({ name }) => name === version);
  return optionalObject(objectOf(found?.schema).openAPIV3Schema);
}

export function readDefinition(object: JsonObject, revision: number): Definition {
  const metadata = objectOf(object.metadata);
  const [spec, status] = [objectOf(object.spec), objectOf(object.status)];
  const versions = objectsOf(spec.versions).map(readVersion);
  return {
    name: textOf(metadata.name),
    uid: textOf(metadata.uid),
    generation: Number(metadata.generation ?? 0),
    revision,
    isDeleted: metadata.deletionTimestamp !== undefined,
    finalizers: textsOf(metadata.finalizers),
    annotations: objectOf(metadata.annotations) as Record<string, string>,
    group: textOf(spec.group),
    scope: spec.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
    preserveUnknownFields: spec.preserveUnknownFields === true,
    names: readNames(objectOf(spec.names)),
    conversion: readConversion(objectOf(spec.conversion)),
    versions,
    storageVersion: versions.find(({ storage }) => storage)?.name ?? '',
    acceptedNames: readNames(objectOf(status.acceptedNames)),
    conditions: objectsOf(status.conditions).map(readCondition),
    storedVersions: textsOf(status.storedVersions),
  };
}

export function readNames(names: JsonObject): DefinitionNames {
  return {
    plural: textOf(names.plural),
    singular: textOf(names.singular),
    kind: textOf(names.kind),
    listKind: textOf(names.listKind),
    shortNames: textsOf(names.shortNames),
    categories: textsOf(names.categories),
  };
}

function readVersion(version: JsonObject): DefinedVersion {
  const subresources = objectOf(version.subresources);
  const hasStatus = isObject(subresources.status);
  return {
    name: textOf(version.name),
    served: version.served === true,
    storage: version.storage === true,
    deprecated: version.deprecated === true,
    deprecationWarning: typeof version.deprecationWarning === 'string' ? version.deprecationWarning : undefined,
    hasStatus,
    defaultsStatus: hasStatus && statusDefault(version) !== undefined,
    scale: isObject(subresources.scale) ? readScale(subresources.scale) : undefined,
    columns: objectsOf(version.additionalPrinterColumns).map(readColumn),
    selectableFields: objectsOf(version.selectableFields).map(({ jsonPath }) => textOf(jsonPath)),
  };
}

function statusDefault(version: JsonObject): JsonValue | undefined {
  const { openAPIV3Schema } = objectOf(version.schema);
  return objectOf(objectOf(objectOf(openAPIV3Schema).properties).status).default;
}

function readScale(scale: JsonObject): ScalePaths {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return {
    specReplicasPath: textOf(specReplicasPath),
    statusReplicasPath: textOf(statusReplicasPath),
    labelSelectorPath: textOf(labelSelectorPath) || undefined,
  };
}

function readColumn(column: JsonObject): DefinedColumn {
  return {
    name: textOf(column.name),
    type: textOf(column.type),
    format: textOf(column.format),
    description: textOf(column.description),
    priority: Number(column.priority ?? 0),
    jsonPath: textOf(column.jsonPath),
  };
}

function readConversion({ strategy, webhook }: JsonObject): Conversion {
  if (strategy !== 'Webhook') return { strategy: 'None' };
  const { clientConfig, conversionReviewVersions } = objectOf(webhook);
  return { strategy, clientConfig: objectOf(clientConfig), reviewVersions: textsOf(conversionReviewVersions) };
}

function readCondition(condition: JsonObject): Condition {
  return {
    type: textOf(condition.type) as Condition['type'],
    status: textOf(condition.status),
    reason: textOf(condition.reason),
    message: textOf(condition.message),
    lastTransitionTime: textOf(condition.lastTransitionTime) || undefined,
  };
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

function optionalObject(value: JsonValue | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return optionalObject(value) ?? {};
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item) => isObject(item)) : [];
}
