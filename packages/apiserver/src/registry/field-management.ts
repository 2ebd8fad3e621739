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
  schemaMismatch,
  trackApply,
  trackUpdate,
  type Versions,
} from '@tsukube/machinery';
import { checkedAs, emptyIn, mergeSchemaIn } from './object-form.ts';
import type { WriteContext } from './object-registry.ts';
import type { Resource, ServedVersion } from './resource.ts';
import { ConversionNeeded, resumeConverting, type WebhookConversions, webhookVersions } from './webhook-conversions.ts';

/** Keeps the record of who owns which field of an object. */
export interface FieldManagement {
  /**
   * Writes into a new object who owns what once it has taken the place of the existing one. Both are in the hub version.
   * Asynchronous only if a webhook has to convert.
   */
  track(
    resource: Resource,
    object: JsonObject,
    existing: JsonObject | undefined,
    context: WriteContext,
    now: number,
  ): void | Promise<void>;
  /**
   * The object, in the version of the request, with a configuration in that version applied to it. Fails with 409 on
   * conflicts, unless `force`. Asynchronous only if a webhook has to convert.
   */
  apply(
    resource: Resource,
    existing: JsonObject | undefined,
    configuration: JsonObject,
    context: WriteContext,
    options: { readonly manager: string; readonly force: boolean; readonly now: number },
  ): JsonObject | Promise<JsonObject>;
}

export function fieldManagement(): FieldManagement {
  const versionsFor = rememberedVersions();
  return {
    track(resource, object, existing, context, now) {
      const writer = writerOf(context, context.fieldManager ?? '', now);
      const versions = versionsFor(resource, context.subresource);
      const [live, next] = [existing && inVersion(existing, context), inVersion(object, context)];
      const record = computed(resource, versions, context, live ? [live, next] : [next], (known) =>
        trackUpdate(live, next, writer, known),
      );
      if (record instanceof Promise) return record.then((found) => recordIn(object, existing, found));
      recordIn(object, existing, record);
    },
    apply(resource, existing, configuration, context, { manager, force, now }) {
      const live = existing && inVersion(existing, context);
      const writer = writerOf(context, manager, now);
      const versions = versionsFor(resource, context.subresource);
      return computed(resource, versions, context, live ? [live] : [], (known) =>
        trackApply(live, configuration, writer, known, force),
      );
    },
  };
}

/** At once, unless a webhook has to convert objects for owners in other versions. */
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

function recordIn(object: JsonObject, existing: JsonObject | undefined, record: JsonObject[] | undefined): void {
  if (object.metadata === existing?.metadata) object.metadata = { ...(object.metadata as JsonObject) };
  setRecord(object.metadata as JsonObject, record);
}

export function setRecord(metadata: JsonObject, record: JsonObject[] | undefined): void {
  if (record) metadata.managedFields = record;
  else delete metadata.managedFields;
}

/** What is known of a resource is looked up once for each of its subresources. */
function rememberedVersions(): (resource: Resource, subresource: string) => Versions {
  const known = new WeakMap<Resource, Map<string, Versions>>();
  return (resource, subresource) => {
    const bySubresource = known.get(resource) ?? new Map<string, Versions>();
    known.set(resource, bySubresource);
    const versions = bySubresource.get(subresource) ?? resourceVersions(resource, subresource);
    bySubresource.set(subresource, versions);
    return versions;
  };
}

function writerOf({ version, subresource }: WriteContext, manager: string, now: number): FieldManager {
  return { manager, apiVersion: apiVersionOf(version), subresource, time: formatTime(now) };
}

function inVersion(object: JsonObject, { version }: WriteContext): JsonObject {
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
      const hub = from.converter ? from.converter.toHub(typed) : typed;
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

/** Converters rely on what every object of a type has, whatever was taken from this one. */
function asTyped(object: JsonObject, { schema }: ServedVersion): JsonObject {
  return schema.form ? object : checkedAs(object, schema).value;
}

/** Through its status nothing else of an object changes, and where it has a status of its own nothing else changes that. */
function ownedFieldFilter(resource: Resource, subresource: string): Versions['filter'] {
  const strategy = resource.subresources?.[subresource]?.strategy ?? (subresource === '' ? resource.strategy : undefined);
  if (strategy?.resetFields) return excludeFields(strategy.resetFields);
  if (subresource === '') return excludeFields(resource.subresources?.status ? { 'f:status': {} } : {});
  if (subresource !== 'status') return excludeFields({});
  const others = [...mergeSchemaIn(resource.hub.schema).fields.keys()].filter((name) => name !== 'status' && name !== 'metadata');
  return excludeFields(Object.fromEntries(others.map((name) => [`f:${name}`, {}])));
}

/** Where a write changes nothing but the times at which somebody became an owner, those stay as they are. */
export function keepTimes(object: JsonObject, existing: JsonObject): void {
  const [metadata, oldMetadata] = [object.metadata as JsonObject, existing.metadata as JsonObject];
  const [entries, old] = [metadata.managedFields, oldMetadata.managedFields];
  if (entries === old || !Array.isArray(entries) || !Array.isArray(old) || entries.length !== old.length) return;
  if (entries.every((entry, i) => timeOf(entry) === timeOf(old[i]))) return;
  if (!entries.every((entry, i) => deepEqual(withoutTime(entry), withoutTime(old[i] as JsonValue)))) return;
  const kept = { ...metadata, managedFields: old };
  if (deepEqual({ ...object, metadata: kept }, existing)) metadata.managedFields = old;
}

function timeOf(entry: JsonValue | undefined): JsonValue | undefined {
  return isObject(entry) ? entry.time : undefined;
}

function withoutTime(entry: JsonValue): JsonValue {
  if (!isObject(entry)) return entry;
  const { time: _, ...rest } = entry;
  return rest;
}
