export {
  isQualifiedName,
  isValidLabelValue,
  validateAnnotations,
  validateLabelName,
  validateLabels,
} from './labels.ts';
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
export {
  fieldIsImmutable,
  validateImmutableField,
  validateObjectMeta,
  validateObjectMetaUpdate,
  validateQualifiedFinalizers,
} from './object-meta.ts';
