import { FieldErrors, type JsonObject, path, StatusError } from '@tsukube/machinery';
import type { ResourceRequest } from '../http/request.ts';
import type { ReplicasPathIn, ScaleManagement } from '../registry/scale-management.ts';
import { checkName } from './update.ts';

/** How an object is seen as something that has a number of replicas. Objects are in the hub version. */
export interface Scalable {
  replicas(object: JsonObject): number;
  /** Gives a copy with another number. */
  withReplicas(object: JsonObject, replicas: number): JsonObject;
  currentReplicas(object: JsonObject): number;
  /** The label selector in its textual form. */
  selector(object: JsonObject): string;
  /** Fails if there is nothing to show. */
  checkReadable?(object: JsonObject): void;
  /** The object's own validation says which numbers it takes. */
  readonly hasOwnRules?: boolean;
  /** Where the number is in a version, in the form of FieldsV1, if it is not in spec.replicas. */
  readonly replicasPath?: ReplicasPathIn;
}

/** Gives a new scale from the one that is there, with a record of who owns it. */
export type ScaleOf = (current: JsonObject) => JsonObject;

export function scaleOf(object: JsonObject, scalable: Scalable, managedFields?: JsonObject[]): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata as JsonObject;
  const selector = scalable.selector(object);
  const replicas = scalable.replicas(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp, ...(managedFields && { managedFields }) } as JsonObject,
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: scalable.currentReplicas(object), ...(selector ? { selector } : {}) },
  };
}

/** The object with the number that a scale has. */
export function scaled(
  existing: JsonObject,
  scale: JsonObject,
  request: ResourceRequest,
  scalable: Scalable,
  management: ScaleManagement | undefined,
): JsonObject {
  const metadata = (scale.metadata ?? {}) as JsonObject;
  checkName(metadata, request.info.name);
  const replicas = Number(((scale.spec ?? {}) as JsonObject).replicas ?? 0);
  if (!scalable.hasOwnRules) validateReplicas(replicas, request.info.name);
  checkUid(metadata, existing.metadata as JsonObject, request);
  const object = scalable.withReplicas(existing, replicas);
  const { managedFields: before, ...rest } = object.metadata as JsonObject;
  const managedFields = management ? management.recordAfter(existing, scale, request.version) : before;
  const { resourceVersion = '' } = metadata;
  return { ...object, metadata: { ...rest, resourceVersion, ...(managedFields && { managedFields }) } };
}

function validateReplicas(replicas: number, name: string): void {
  if (replicas >= 0) return;
  const errors = new FieldErrors();
  errors.invalid(path('spec', 'replicas'), replicas, 'must be greater than or equal to 0');
  throw StatusError.invalid({ group: 'autoscaling', kind: 'Scale' }, name, errors);
}

function checkUid({ uid }: JsonObject, existing: JsonObject, { version, resource, info }: ResourceRequest): void {
  if (!uid || uid === existing.uid) return;
  const reason = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${existing.uid}`;
  throw StatusError.conflict({ group: version.group, resource: `${resource.names.plural}/scale` }, info.name, reason);
}
