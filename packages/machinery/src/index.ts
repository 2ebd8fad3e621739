export * from './apply/index.ts';
export { BoundedCache, type CacheLimits, memoize } from './cache/bounded-cache.ts';
export { estimatedCostLimit, estimatedDefinitionCostLimit } from './cel/contract.ts';
export { maxRequestBytes } from './cel/types/declared-type.ts';
export { type FieldError, type FieldErrorReason, FieldErrors, type ShownValue } from './errors/field-errors.ts';
export { FieldPath, path } from './errors/field-path.ts';
export { type Status, type StatusCause, type StatusDetails, type StatusReason, statusBody } from './errors/status.ts';
export { type RequestSubject, StatusError } from './errors/status-error.ts';
export { cannotUnmarshal, JsonSyntaxError, jsonKind } from './json/errors.ts';
export {
  byName,
  definedFields,
  ensureObject,
  fillIn,
  integerIn,
  listIn,
  mapIn,
  numberIn,
  objectIn,
  objectsIn,
  repeats,
  textIn,
  textsIn,
} from './json/fields.ts';
export {
  isNumberLiteral,
  isParsedObject,
  type NumberLiteral,
  type ParsedObject,
  type ParsedValue,
} from './json/number-literal.ts';
export { type JsonLimits, type NumberForm, type ParsedJson, parseJson, parseJsonAround } from './json/parse.ts';
export { strictErrors } from './json/strict-errors.ts';
export { canonicalJson, sortKeys, stringifyJson, stringifyJsonPretty } from './json/stringify.ts';
export { deepCopy, deepEqual, getKey, isObject, type JsonObject, type JsonValue, setKey, withoutKey } from './json/value.ts';
export * from './managed-fields/index.ts';
export { generateName, newUid, type Random, randomSuffix } from './meta/generate-name.ts';
export {
  apiVersionOf,
  type GroupKind,
  type GroupResource,
  type GroupVersion,
  groupKindText,
  groupResourceText,
  parseApiVersion,
  parseGroupResource,
  typeMetaMismatch,
} from './meta/group.ts';
export {
  controllerOf,
  isKubeObject,
  type KubeObject,
  type ManagedFieldsEntry,
  metadataOf,
  type ObjectMeta,
  type OwnerReference,
} from './meta/kube-object.ts';
export { type HeldLease, LeaseAge, type LeaseClaim, releasedLease, renewedLease } from './meta/lease.ts';
export { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, humanDuration } from './meta/time.ts';
export * from './meta/validation/index.ts';
export {
  type Address,
  type AddressFamily,
  type Cidr,
  containsAddress,
  formatAddress,
  formatCidr,
  lastOf,
  parseAddress,
  parseCidr,
  widthOf,
} from './net/address.ts';
export {
  validateCidr,
  validateIPAddress,
  validateLegacyCidr,
  validateLegacyIP,
  warningsForCidr,
  warningsForIP,
} from './net/validate.ts';
export { type JsonDiffOperation, jsonDiff } from './patch/json-diff.ts';
export { jsonPatch, jsonPatchStrictErrors } from './patch/json-patch.ts';
export { mergePatch } from './patch/merge-patch.ts';
export { PatchFailure, PatchTestFailure } from './patch/patched-document.ts';
export { consumedPatch } from './patch/strategic/directives.ts';
export { strategicMergeNotSupported, strategicMergePatch } from './patch/strategic/merge.ts';
export { decodeProtobuf, type ProtobufLimits } from './protobuf/decode.ts';
export { encodeProtobuf } from './protobuf/encode.ts';
export {
  envelopeHead,
  envelopeTail,
  isProtobuf,
  type ProtobufEnvelope,
  unwrapProtobuf,
  wrapProtobuf,
} from './protobuf/envelope.ts';
export type { ProtobufField } from './protobuf/layout.ts';
export {
  encodeProtobufList,
  encodeStatus,
  listItemSize,
  partialMetadataBytes,
  partialObjectMetadataType,
  protobufListHead,
  watchFrame,
  writeListItem,
} from './protobuf/meta-messages.ts';
export { ProtobufError } from './protobuf/reader.ts';
export { ProtobufWriter } from './protobuf/writer.ts';
export { canonicalQuantity, formatQuantity } from './quantity/format.ts';
export {
  addQuantities,
  compareQuantities,
  parseQuantity,
  type Quantity,
  QuantityError,
  type QuantityFormat,
  quantityValue,
  subtractQuantities,
  zeroQuantity,
} from './quantity/quantity.ts';
export type { CheckedObject, CheckOptions } from './schema/decode.ts';
export { checkObject, emptyObject } from './schema/decode.ts';
export { inFieldOrder } from './schema/field-order.ts';
export * from './schema/type.ts';
export { escapeFieldValue, everyField, fieldSelector, parseFieldSelector } from './selectors/field-selector.ts';
export { labelRequirement } from './selectors/label-requirement.ts';
export { everyLabel, labelSelector, noLabel, parseLabelSelector } from './selectors/label-selector.ts';
export { type LabelSelectorRules, labelSelectorOf, validateLabelSelector } from './selectors/label-selector-object.ts';
export type { FieldRequirement, FieldSelector, LabelOperator, LabelRequirement, LabelSelector } from './selectors/selector.ts';
export { compileSchema } from './structural/compile.ts';
export type { CompiledSchema, Normalized, Origin, SchemaOptions } from './structural/compiled-schema.ts';
export {
  type CompiledRules,
  type CompiledValidationRule,
  type FoundField,
  findField,
  rulesOf,
} from './structural/rules/rules.ts';
export { type OpenApiVersionOptions, toOpenApi } from './structural/schema/openapi.ts';
export { parseSchema } from './structural/schema/parse.ts';
export { someSchema } from './structural/schema/props.ts';
export type { SchemaNode, ValidationRule, ValueRules } from './structural/schema/schema-node.ts';
export { isStructural, structuralObstacle, validateStructure } from './structural/schema/structure.ts';
export { validateDefaults } from './structural/validate-defaults.ts';
export type { Effort } from './structural/values/budget.ts';
export { effectiveFormat } from './structural/values/formats.ts';
export { Base64Error, canonicalBase64 } from './text/base64.ts';
export { formatGoDuration, GoDurationError, goDurationMs, parseGoDuration } from './text/go-duration.ts';
export { goEscape, goQuote, goStringSlice } from './text/go-quote.ts';
export { type GoRegExp, GoRegExpError, goRegExp, goRegExpProblem } from './text/go-regexp.ts';
export { type GoTime, GoTimeError, parseGoTime, rfc3339, rfc3339Micro } from './text/go-time.ts';
export { GoIntError, goTypeText, goValueText, parseGoInt64 } from './text/go-value.ts';
export { aggregateMessage, trimBoth, trimRight } from './text/strings.ts';
export { unifiedDiff } from './text/unified-diff.ts';
export {
  certificateBlocks,
  type DerElement,
  derElements,
  insideDer,
  MalformedDer,
  type NameAttribute,
  nameAttributes,
  nameValues,
  readDistinguishedName,
} from './text/x509.ts';
export { YamlSyntaxError } from './yaml/document.ts';
export { parseYaml, type YamlLimits } from './yaml/parse.ts';
export { stringifyYaml } from './yaml/stringify.ts';
