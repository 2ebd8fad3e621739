import { isObject, type JsonObject, type JsonValue } from '../json/value.ts';

/**
 * metav1.ObjectMeta. Like all API types here it is a JSON object whose known fields have types: every function that takes
 * a JsonObject takes it. Decoding against the schema guarantees the types of the fields; see `isKubeObject`.
 */
export type ObjectMeta = JsonObject & {
  name?: string;
  generateName?: string;
  namespace?: string;
  selfLink?: string;
  uid?: string;
  resourceVersion?: string;
  /** An int64: a bigint beyond 2^53. */
  generation?: number | bigint;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number | bigint;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
};

/** metav1.OwnerReference. */
export type OwnerReference = JsonObject & {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
};

/** metav1.ManagedFieldsEntry. */
export type ManagedFieldsEntry = JsonObject & {
  manager?: string;
  operation?: string;
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: JsonObject;
  subresource?: string;
};

/** An API object, like Go's metav1.Object and runtime.Object. All other fields are plain JSON. */
export type KubeObject = JsonObject & {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
};

/**
 * Narrows a decoded value to a KubeObject. Checks only the three fields every object has; decoding checks the types of the
 * metadata (`checkObject` for built-in types, `checkObjectMeta` for custom resources).
 */
export function isKubeObject(value: JsonValue | undefined): value is KubeObject {
  return isObject(value) && typeof value.apiVersion === 'string' && typeof value.kind === 'string' && isObject(value.metadata);
}

/** The controller of an object: the owner reference with `controller: true`. */
export function controllerOf<Reference extends Pick<OwnerReference, 'controller'>>({
  ownerReferences,
}: {
  readonly ownerReferences?: readonly Reference[];
}): Reference | undefined {
  return ownerReferences?.find(({ controller }) => controller === true);
}

/** The metadata of an API object that is typed as plain JSON. */
export function metadataOf(object: JsonObject): ObjectMeta {
  return object.metadata as ObjectMeta;
}
