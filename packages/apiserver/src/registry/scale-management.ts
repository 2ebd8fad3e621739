import {
  apiVersionOf,
  excludeFields,
  formatTime,
  type JsonObject,
  managedFieldsAfterScale,
  metadataOf,
  type ReplicasPath,
  scaleManagedFields,
  trackApply,
  trackUpdate,
  type Versions,
} from '@tsukube/machinery';
import { setManagedFields, versionsOf } from './field-management.ts';
import type { Resource, Schema, ServedVersion } from './resource.ts';

const subresource = 'scale';
const defaultPath = ['f:spec', 'f:replicas'];

/**
 * Maintains the ownership of replicas across the scale subresource, as Kubernetes' ScaleHandler does: the managedFields of a Scale are
 * derived from those of the scaled object, and merged back into them after a write.
 */
export interface ScaleManagement {
  /** The managedFields of an object's scale. The object is in the hub version. */
  managedFieldsOf(object: JsonObject): JsonObject[] | undefined;
  track(live: JsonObject, next: JsonObject, manager: string, now: number): void;
  apply(live: JsonObject, configuration: JsonObject, options: { manager: string; force: boolean; now: number }): JsonObject;
  /** The managedFields of the object after its scale was written in this version. */
  managedFieldsAfter(object: JsonObject, scale: JsonObject, version: ServedVersion): JsonObject[] | undefined;
}

/** The path of the replicas in a version, as FieldsV1 elements; undefined if there is none. */
export type ReplicasPathIn = (version: ServedVersion) => readonly string[] | undefined;

export function scaleManagement(resource: Resource, schema: Schema, pathIn: ReplicasPathIn = () => defaultPath): ScaleManagement {
  const version: ServedVersion = { group: 'autoscaling', version: 'v1', schema };
  const versions: Versions = versionsOf({ kind: 'Scale', versions: [version] }, excludeFields({}));
  const writer = (manager: string, now: number) => ({
    manager,
    apiVersion: apiVersionOf(version),
    subresource,
    time: formatTime(now),
  });
  const path = replicasPath(resource, pathIn);
  return {
    managedFieldsOf: (object) => scaleManagedFields(metadataOf(object), path),
    track(live, next, manager, now) {
      setManagedFields(metadataOf(next), trackUpdate(live, next, writer(manager, now), versions));
    },
    apply: (live, configuration, { manager, force, now }) =>
      trackApply(live, configuration, writer(manager, now), versions, force),
    managedFieldsAfter: (object, scale, { group, version: name }) =>
      managedFieldsAfterScale(metadataOf(object), metadataOf(scale), apiVersionOf({ group, version: name }), path),
  };
}

function replicasPath({ hub, versions }: Resource, pathIn: ReplicasPathIn): ReplicasPath {
  const paths = new Map([hub, ...versions].map((version) => [apiVersionOf(version), pathIn(version) ?? ('none' as const)]));
  return (apiVersion) => paths.get(apiVersion);
}
