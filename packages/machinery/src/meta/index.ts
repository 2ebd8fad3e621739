export type { Random } from './generate-name.ts';
export { generateName, newUid, randomSuffix } from './generate-name.ts';
export type { GroupKind, GroupResource, GroupVersion } from './group.ts';
export {
  apiVersionOf,
  groupKindText,
  groupResourceText,
  parseApiVersion,
  parseGroupResource,
  typeMetaMismatch,
} from './group.ts';
export type { KubeObject, ManagedFieldsEntry, ObjectMeta, OwnerReference } from './kube-object.ts';
export { controllerOf, isKubeObject, metadataOf } from './kube-object.ts';
export { type HeldLease, LeaseAge, type LeaseClaim, releasedLease, renewedLease } from './lease.ts';
export { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, humanDuration } from './time.ts';
