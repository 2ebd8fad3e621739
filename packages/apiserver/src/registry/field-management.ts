import {
  apiVersionOf,
  ConversionFailed,
  deepEqual,
  excludeFields,
  type FieldManager,
  formatTime,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectMeta,
  schemaMismatch,
  trackApply,
  trackUpdate,
  type Versions,
} from '@tsukube/machinery';
import { checkedAs, emptyIn, mergeSchemaIn } from './object-form.ts';
import type { Application } from './object-registry.ts';
import type { Resource, ServedVersion } from './resource.ts';
import { ConversionNeeded, resumeConverting, type WebhookConversions, webhookVersions } from './webhook-conversions.ts';
import type { WriteContext } from './write-context.ts';

/** Maintains metadata.managedFields: which manager owns which field of an object. */
export interface FieldManagement {
  /**
   * Sets the managedFields of `object`, which replaces `existing`: the field manager of the context owns what differs. Both are in
   * the hub version. A promise only if a webhook converts.
   */
  track(
    resource: Resource,
    object: KubeObject,
    existing: KubeObject | undefined,
    context: WriteContext,
    now: number,
  ): void | Promise<void>;
  /**
   * Merges an applied configuration into the object. Returns the result in the version of the request. Throws Conflict if other
   * managers own fields of it, unless `force`. A promise only if a webhook converts.
   */
  apply(
    resource: Resource,
    existing: KubeObject | undefined,
    application: Pick<Application, 'configuration' | 'force'>,
    context: WriteContext,
    now: number,
  ): KubeObject | Promise<KubeObject>;
}

export function fieldManagement(): FieldManagement {
  const versionsFor = cachedVersions();
  return {
    track(resource, object, existing, context, now) {
      const manager = managerOf(context, now);
      const versions = versionsFor(resource, context.subresource);
      const [live, next] = [existing && inVersion(existing, context), inVersion(object, context)];
      const entries = computed(resource, versions, context, live ? [live, next] : [next], (known) =>
        trackUpdate(live, next, manager, known),
      );
      if (entries instanceof Promise) return entries.then((found) => replaceManagedFields(object, existing, found));
      replaceManagedFields(object, existing, entries);
    },
    apply(resource, existing, { configuration, force }, context, now) {
      const live = existing && inVersion(existing, context);
      const manager = managerOf(context, now);
      const versions = versionsFor(resource, context.subresource);
      const compute = (known: Versions) => trackApply(live, configuration, manager, known, force) as KubeObject;
      return computed(resource, versions, context, live ? [live] : [], compute);
    },
  };
}

/** Computes ownership; asynchronously if a webhook has to convert objects for managers in other versions. */
function computed<T>(
  resource: Resource,
  versions: Versions,
  context: WriteContext,
  together: readonly JsonObject[],
  compute: (versions: Versions) => T,
): T | Promise<T> {
  try {
    return compute(versions);
  } catch (error) {
    const { convertByWebhook: convert } = resource;
    if (!(error instanceof ConversionNeeded) || !convert) throw error;
    const known = versionsWithin(resource, context.subresource);
    const again = (conversions: WebhookConversions) => compute(webhookOwnership(known, resource, conversions));
    const versionCount = 1 + (resource.relatedVersions?.length ?? 0);
    return resumeConverting(error, { compute: again, convert, together, context, versionCount });
  }
}

function replaceManagedFields(object: KubeObject, existing: KubeObject | undefined, entries: JsonObject[] | undefined): void {
  if (object.metadata === existing?.metadata) object.metadata = { ...object.metadata };
  setManagedFields(object.metadata, entries);
}

export function setManagedFields(metadata: ObjectMeta, entries: JsonObject[] | undefined): void {
  if (entries) metadata.managedFields = entries as ManagedFieldsEntry[];
  else delete metadata.managedFields;
}

/** Builds the versions of a resource once for each subresource. */
function cachedVersions(): (resource: Resource, subresource: string) => Versions {
  const known = new WeakMap<Resource, Map<string, Versions>>();
  return (resource, subresource) => {
    const bySubresource = known.get(resource) ?? new Map<string, Versions>();
    known.set(resource, bySubresource);
    const versions = bySubresource.get(subresource) ?? resourceVersions(resource, subresource);
    bySubresource.set(subresource, versions);
    return versions;
  };
}

function managerOf({ version, subresource, fieldManager }: WriteContext, now: number): FieldManager {
  return { manager: fieldManager ?? '', apiVersion: apiVersionOf(version), subresource, time: formatTime(now) };
}

function inVersion(object: KubeObject, { version }: WriteContext): JsonObject {
  return version.converter ? version.converter.fromHub(object) : object;
}

function resourceVersions(resource: Resource, subresource: string): Versions {
  const known = versionsWithin(resource, subresource);
  if (resource.convertByWebhook) return webhookOwnership(known, resource);
  return resource.strictOwnership ? strictly(known) : known;
}

function versionsWithin(resource: Resource, subresource: string): Versions {
  const versions = [resource.hub, ...resource.versions, ...(resource.relatedVersions ?? [])];
  return versionsOf({ kind: resource.names.kind, versions }, ownedFieldFilter(resource, subresource));
}

function webhookOwnership(known: Versions, { hub }: Resource, conversions?: WebhookConversions): Versions {
  return strictly(webhookVersions(known, apiVersionOf(hub), conversions));
}

function strictly(versions: Versions): Versions {
  return {
    ...versions,
    strict: true,
    convert(object, apiVersion) {
      if (object.apiVersion === apiVersion) return object;
      const converted = versions.convert(object, apiVersion);
      if (!converted) throw new ConversionFailed(`request to convert CR to an invalid group/version: ${apiVersion}`);
      const problem = schemaMismatch(converted, versions.mergeSchema(apiVersion));
      if (problem !== undefined) throw new ConversionFailed(problem);
      return converted;
    },
  };
}

export function versionsOf(of: { kind: string; versions: readonly ServedVersion[] }, filter: Versions['filter']): Versions {
  const known = new Map(of.versions.map((version) => [apiVersionOf(version), version]));
  const versionNamed = (apiVersion: string) => known.get(apiVersion) as ServedVersion;
  return {
    filter,
    knows: (apiVersion) => known.has(apiVersion),
    convert(object, apiVersion) {
      const [from, to] = [known.get(object.apiVersion as string), known.get(apiVersion)];
      if (object.apiVersion === apiVersion || !from || !to) return to && object;
      const typed = asTyped(object, from);
      const hub = (from.converter ? from.converter.toHub(typed) : typed) as KubeObject;
      return to.converter ? to.converter.fromHub(hub) : hub;
    },
    mergeSchema(apiVersion) {
      const { schema } = versionNamed(apiVersion);
      return mergeSchemaIn(schema);
    },
    empty(apiVersion) {
      const { schema } = versionNamed(apiVersion);
      return { ...emptyIn(schema), kind: of.kind, apiVersion };
    },
  };
}

/** Converters rely on the required fields of a type, which pruning may have removed. */
function asTyped(object: JsonObject, { schema }: ServedVersion): KubeObject {
  return (schema.form ? object : checkedAs(object, schema).value) as KubeObject;
}

/** The fields a write may own. The status subresource changes only the status; where it exists, other writes do not. */
function ownedFieldFilter(resource: Resource, subresource: string): Versions['filter'] {
  const strategy = resource.subresources?.[subresource]?.strategy ?? (subresource === '' ? resource.strategy : undefined);
  if (strategy?.resetFields) return excludeFields(strategy.resetFields);
  if (subresource === '') return excludeFields(resource.subresources?.status ? { 'f:status': {} } : {});
  if (subresource !== 'status') return excludeFields({});
  const others = [...mergeSchemaIn(resource.hub.schema).fields.keys()].filter((name) => name !== 'status' && name !== 'metadata');
  return excludeFields(Object.fromEntries(others.map((name) => [`f:${name}`, {}])));
}

/** Restores the timestamps of managedFields if nothing else changed, so that the write is a no-op. */
export function keepTimestamps(object: KubeObject, existing: KubeObject): void {
  const { metadata } = object;
  const [entries, old] = [metadata.managedFields, existing.metadata.managedFields];
  if (entries === old || !Array.isArray(entries) || !Array.isArray(old) || entries.length !== old.length) return;
  if (entries.every((entry, i) => timeOf(entry) === timeOf(old[i]))) return;
  if (!entries.every((entry, i) => deepEqual(withoutTime(entry), withoutTime(old[i] as JsonValue)))) return;
  if (deepEqual({ ...object, metadata: { ...metadata, managedFields: old } }, existing)) metadata.managedFields = old;
}

function timeOf(entry: JsonValue | undefined): JsonValue | undefined {
  return isObject(entry) ? entry.time : undefined;
}

function withoutTime(entry: JsonValue): JsonValue {
  if (!isObject(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}
