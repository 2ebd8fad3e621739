import {
  apiVersionOf,
  excludeFields,
  formatTime,
  type JsonObject,
  managedFieldsAfterScale,
  type ReplicasPath,
  scaleManagedFields,
  trackApply,
  trackUpdate,
  type Versions,
} from '@tsukube/machinery';
import { setManagedFields, versionsOf } from './field-management.ts';
import type { Resource, Schema, ServedVersion } from './resource.ts';

const subresource = 'scale';
const pathOfMost = ['f:spec', 'f:replicas'];

/**
 * Keeps the record of who owns the number of replicas. A scale is an object of its own with a record of its own, which is
 * made from that of the object it is the scale of, and taken back into it.
 */
export interface ScaleManagement {
  /** The record for the scale of an object, in the hub version. */
  recordFor(object: JsonObject): JsonObject[] | undefined;
  track(live: JsonObject, next: JsonObject, manager: string, now: number): void;
  apply(live: JsonObject, configuration: JsonObject, options: { manager: string; force: boolean; now: number }): JsonObject;
  /** The record for the object once its scale has been written through this version. */
  recordAfter(object: JsonObject, scale: JsonObject, version: ServedVersion): JsonObject[] | undefined;
}

/** Where the number is in a version, as elements of a path; undefined where it is nowhere. */
export type ReplicasPathIn = (version: ServedVersion) => readonly string[] | undefined;

export function scaleManagement(resource: Resource, schema: Schema, pathIn: ReplicasPathIn = () => pathOfMost): ScaleManagement {
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
    recordFor: (object) => scaleManagedFields(object.metadata as JsonObject, path),
    track(live, next, manager, now) {
      setManagedFields(next.metadata as JsonObject, trackUpdate(live, next, writer(manager, now), versions));
    },
    apply: (live, configuration, { manager, force, now }) =>
      trackApply(live, configuration, writer(manager, now), versions, force),
    recordAfter: (object, scale, { group, version: name }) =>
      managedFieldsAfterScale(
        object.metadata as JsonObject,
        scale.metadata as JsonObject,
        apiVersionOf({ group, version: name }),
        path,
      ),
  };
}

function replicasPath({ hub, versions }: Resource, pathIn: ReplicasPathIn): ReplicasPath {
  const paths = new Map([hub, ...versions].map((version) => [apiVersionOf(version), pathIn(version) ?? ('none' as const)]));
  return (apiVersion) => paths.get(apiVersion);
}
