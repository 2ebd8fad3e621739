export { validateAnnotations } from './annotations.ts';
export { validateQualifiedFinalizers } from './finalizers.ts';
export type { Random } from './generate-name.ts';
export { generateName, randomSuffix } from './generate-name.ts';
export type { GroupKind, GroupResource, GroupVersion } from './group.ts';
export { apiVersionOf, groupKindText, groupResourceText, parseApiVersion } from './group.ts';
export { humanDuration } from './human-duration.ts';
export type { KubeObject, ManagedFieldsEntry, ObjectMeta, OwnerReference } from './kube-object.ts';
export { controllerOf, isKubeObject, metadataOf } from './kube-object.ts';
export { isQualifiedName, isValidLabelValue, validateLabelName, validateLabels } from './labels.ts';
export { validateFieldManager } from './managed-fields.ts';
export type { NameValidator } from './names.ts';
export {
  formatMessage,
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isValidPathSegmentName,
  isValidPathSegmentPrefix,
  isWildcardDNS1123Subdomain,
  maxLengthMessage,
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  nameIsPathSegment,
} from './names.ts';
export type { ObjectMetaRules } from './object-meta.ts';
export { validateObjectMeta } from './object-meta.ts';
export { fieldIsImmutable, validateImmutableField, validateObjectMetaUpdate } from './object-meta-update.ts';
export { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime } from './time.ts';
export { typeMetaMisfit } from './type-meta.ts';
export { newUid } from './uid.ts';
