import {
  apiVersionOf,
  decodeProtobuf,
  isProtobuf,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  parseJson,
  unwrapProtobuf,
} from '@tsukube/machinery';
import type { Present } from '../watchcache/entry.ts';
import { checkedAs, orderedAs } from './object-form.ts';
import type { Resource, ServedVersion } from './resource.ts';
import { encodeStored, withResourceVersion } from './stored-form.ts';

const brace = 0x7b;

/**
 * How stored values enter the watch cache. Values written by this server are taken as they are. Values that a kube-apiserver wrote
 * into the same store, in protobuf or another version, are converted to this server's form.
 */
export function presentAs(resource: Resource): Present {
  const own = Buffer.from(`{"kind":"${resource.names.kind}","apiVersion":"${apiVersionOf(resource.hub)}"`);
  return (value, revision, allocate) => {
    if (startsWith(value, own)) return withResourceVersion(value, revision, allocate);
    return withResourceVersion(adopted(value, resource), revision, allocate);
  };
}

function startsWith(value: Uint8Array, start: Buffer): boolean {
  return value.length >= start.length && start.compare(value, 0, start.length) === 0;
}

function adopted(value: Uint8Array, resource: Resource): Uint8Array {
  if (isProtobuf(value)) return inHub(readProtobuf(value, resource), resource);
  if (value[0] !== brace) return value;
  const object = parseJson(value).value as JsonObject;
  return object.apiVersion === apiVersionOf(resource.hub) ? value : inHub(object, resource);
}

/** An unknown version is read as the hub: Kubernetes stores some kinds in a beta version with the same schema. */
function versionNamed({ versions, storedVersions = versions, hub }: Resource, apiVersion: JsonValue | undefined): ServedVersion {
  return storedVersions.find((version) => apiVersionOf(version) === apiVersion) ?? hub;
}

function readProtobuf(value: Uint8Array, resource: Resource): JsonObject {
  const { apiVersion, kind, raw } = unwrapProtobuf(value);
  const { catalogue, type } = versionNamed(resource, apiVersion).schema;
  return { kind, apiVersion, ...decodeProtobuf(raw, catalogue.get(type), catalogue) };
}

function inHub(object: JsonObject, resource: Resource): Uint8Array {
  const { hub, strategy } = resource;
  const version = versionNamed(resource, object.apiVersion);
  const checked = checkedAs({ ...object, apiVersion: apiVersionOf(version) }, version.schema);
  if (checked.error !== undefined) throw new Error(`a stored ${object.kind} cannot be read: ${checked.error}`);
  const value = checked.value as KubeObject;
  const converted = (version.converter ? version.converter.toHub(value) : value) as KubeObject;
  strategy.applyDefaults?.(converted);
  return encodeStored(orderedAs({ ...converted, apiVersion: apiVersionOf(hub) }, hub.schema));
}
