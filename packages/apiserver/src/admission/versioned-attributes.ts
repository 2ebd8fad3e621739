import {
  apiVersionOf,
  type GroupVersionKind,
  goQuote,
  isObject,
  type JsonObject,
  type KubeObject,
  setKey,
} from '@tsukube/machinery';
import { typeMetaOf, typeMismatch } from '../handlers/decoding/type-meta.ts';
import type { AdmissionAttributes } from '../registry/admission.ts';
import { checkedAs } from '../registry/object-form.ts';
import type { Resource, Schema, ServedVersion } from '../registry/resource.ts';

/** A request with its objects in the version that a webhook or policy matched. */
export interface VersionedAttributes {
  readonly attributes: AdmissionAttributes;
  readonly version: ServedVersion;
  /** The kind of the objects: that of the resource in `version`, or of the subresource. */
  readonly kind: GroupVersionKind;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
}

/** A promise only if a webhook converts custom objects. */
export function versionedAttributes(
  attributes: AdmissionAttributes,
  version: ServedVersion,
): VersionedAttributes | Promise<VersionedAttributes> {
  const { object, oldObject, body, resource } = attributes;
  const kind = body ?? { group: version.group, version: version.version, kind: resource.names.kind };
  const named = { group: kind.group, version: kind.version, kind: kind.kind };
  if (body || version === resource.hub) return { attributes, version, kind: named, object, oldObject };
  const converted = [object, oldObject].map((each) => each && inVersion(each, resource, version));
  const complete = ([next, old]: readonly (KubeObject | undefined)[]): VersionedAttributes => ({
    attributes,
    version,
    kind: named,
    object: next,
    oldObject: old,
  });
  return converted.some((each) => each instanceof Promise)
    ? Promise.all(converted).then(complete)
    : complete(converted as (KubeObject | undefined)[]);
}

/** The kind that a client sees in the request. */
export function requestKind({ body, version, resource }: AdmissionAttributes): GroupVersionKind {
  if (body) return { group: body.group, version: body.version, kind: body.kind };
  return { group: version.group, version: version.version, kind: resource.names.kind };
}

function inVersion(object: KubeObject, { convertByWebhook }: Resource, version: ServedVersion): KubeObject | Promise<KubeObject> {
  const apiVersion = apiVersionOf(version);
  if (convertByWebhook) return convertByWebhook([object], apiVersion).then(([converted]) => converted as KubeObject);
  const converted = version.converter ? (version.converter.fromHub(object) as KubeObject) : object;
  return converted.apiVersion === apiVersion ? converted : { ...converted, apiVersion };
}

/**
 * Replaces the object of a request with one in the given version: decoded by its type, converted to the hub version, with defaults
 * applied. The object keeps its identity. Throws an Error if it does not fit the type.
 */
export async function replaceObject(
  { attributes, version }: Pick<VersionedAttributes, 'attributes' | 'version'>,
  replacement: JsonObject,
): Promise<void> {
  const { object, body, resource } = attributes;
  if (!object) throw new Error('the request has no object');
  const schema = body?.schema ?? version.schema;
  const typed = withTypeMeta(replacement, { ...requestKind({ ...attributes, version }), schema });
  assign(object, body ? decoded(typed, schema) : await inHub(typed, resource, version));
}

async function inHub(object: JsonObject, resource: Resource, version: ServedVersion): Promise<JsonObject> {
  const { hub, strategy } = resource;
  // The schema of another version would prune fields of custom objects that only the hub version has.
  const isCustom = hub.schema.form !== undefined;
  const converted = await toHub((isCustom ? object : decoded(object, version.schema)) as KubeObject, resource, version);
  const complete = (isCustom ? decoded(converted, hub.schema) : converted) as KubeObject;
  if (!isObject(complete.metadata)) complete.metadata = {};
  strategy.applyDefaults?.(complete);
  return complete;
}

function decoded(object: JsonObject, schema: Schema): JsonObject {
  const { value, error } = checkedAs(object, schema);
  if (error !== undefined) throw new Error(error);
  return value;
}

/** Completes the type meta. Throws if it is that of another kind. */
function withTypeMeta(object: JsonObject, expected: GroupVersionKind & { readonly schema: Schema }): JsonObject {
  const meta = typeMetaOf(object, expected);
  const mismatch = typeMismatch(meta, expected, () => false);
  if (!mismatch) return { ...object, ...meta };
  throw new Error(
    'reason' in mismatch
      ? mismatch.reason
      : `no kind ${goQuote(meta.kind)} is registered for version ${goQuote(meta.apiVersion)}`,
  );
}

async function toHub(object: KubeObject, { hub, convertByWebhook }: Resource, version: ServedVersion): Promise<KubeObject> {
  if (version === hub) return object;
  if (!convertByWebhook) return (version.converter?.toHub(object) ?? object) as KubeObject;
  const [converted] = await convertByWebhook([object], apiVersionOf(hub));
  return converted as KubeObject;
}

function assign(target: KubeObject, source: JsonObject): void {
  for (const key of Object.keys(target)) delete target[key];
  for (const [key, value] of Object.entries(source)) if (value !== undefined) setKey(target, key, value);
}
