export { validateAnnotations } from './annotations.ts';
export { validateQualifiedFinalizers } from './finalizers.ts';
export { generateName, type Random, randomSuffix } from './generate-name.ts';
export {
  apiVersionOf,
  type GroupKind,
  type GroupResource,
  type GroupVersion,
  groupKindText,
  groupResourceText,
  parseApiVersion,
} from './group.ts';
export { humanDuration } from './human-duration.ts';
export {
  controllerOf,
  isKubeObject,
  type KubeObject,
  type ManagedFieldsEntry,
  metadataOf,
  type ObjectMeta,
  type OwnerReference,
} from './kube-object.ts';
export { isQualifiedName, isValidLabelValue, validateLabelName, validateLabels } from './labels.ts';
export { validateFieldManager } from './managed-fields.ts';
export {
  formatMessage,
  isDNS1035Label,
  isDNS1123Label,
  isDNS1123Subdomain,
  isValidPathSegmentName,
  isValidPathSegmentPrefix,
  isWildcardDNS1123Subdomain,
  maxLengthMessage,
  type NameValidator,
  nameIsDNS1035Label,
  nameIsDNSLabel,
  nameIsDNSSubdomain,
  nameIsPathSegment,
} from './names.ts';
export { type ObjectMetaRules, validateObjectMeta } from './object-meta.ts';
export { fieldIsImmutable, validateImmutableField, validateObjectMetaUpdate } from './object-meta-update.ts';
export { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime } from './time.ts';
export { typeMetaMisfit } from './type-meta.ts';
export { newUid } from './uid.ts';
