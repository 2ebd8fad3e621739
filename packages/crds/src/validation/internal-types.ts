import { isObject, type JsonObject, type JsonValue } from '@tsukube/machinery';

/** Errors of Kubernetes print a definition as its internal Go type: with Go field names and all empty fields. */

type Form =
  | 'text'
  | 'flag'
  | 'value'
  | 'list'
  | 'schema'
  | 'schemas'
  | 'named'
  | 'items'
  | 'orBool'
  | 'orTexts'
  | 'rules'
  | 'docs';

/** The fields of JSONSchemaProps in the order of the Go type. */
const fields: readonly (readonly [key: string, name: string, form: Form])[] = [
  ['id', 'ID', 'text'],
  ['$schema', 'Schema', 'text'],
  ['$ref', 'Ref', 'value'],
  ['description', 'Description', 'text'],
  ['type', 'Type', 'text'],
  ['nullable', 'Nullable', 'flag'],
  ['format', 'Format', 'text'],
  ['title', 'Title', 'text'],
  ['default', 'Default', 'value'],
  ['maximum', 'Maximum', 'value'],
  ['exclusiveMaximum', 'ExclusiveMaximum', 'flag'],
  ['minimum', 'Minimum', 'value'],
  ['exclusiveMinimum', 'ExclusiveMinimum', 'flag'],
  ['maxLength', 'MaxLength', 'value'],
  ['minLength', 'MinLength', 'value'],
  ['pattern', 'Pattern', 'text'],
  ['maxItems', 'MaxItems', 'value'],
  ['minItems', 'MinItems', 'value'],
  ['uniqueItems', 'UniqueItems', 'flag'],
  ['multipleOf', 'MultipleOf', 'value'],
  ['enum', 'Enum', 'list'],
  ['maxProperties', 'MaxProperties', 'value'],
  ['minProperties', 'MinProperties', 'value'],
  ['required', 'Required', 'list'],
  ['items', 'Items', 'items'],
  ['allOf', 'AllOf', 'schemas'],
  ['oneOf', 'OneOf', 'schemas'],
  ['anyOf', 'AnyOf', 'schemas'],
  ['not', 'Not', 'schema'],
  ['properties', 'Properties', 'named'],
  ['additionalProperties', 'AdditionalProperties', 'orBool'],
  ['patternProperties', 'PatternProperties', 'named'],
  ['dependencies', 'Dependencies', 'orTexts'],
  ['additionalItems', 'AdditionalItems', 'orBool'],
  ['definitions', 'Definitions', 'named'],
  ['externalDocs', 'ExternalDocs', 'docs'],
  ['example', 'Example', 'value'],
  ['x-kubernetes-preserve-unknown-fields', 'XPreserveUnknownFields', 'value'],
  ['x-kubernetes-embedded-resource', 'XEmbeddedResource', 'flag'],
  ['x-kubernetes-int-or-string', 'XIntOrString', 'flag'],
  ['x-kubernetes-list-map-keys', 'XListMapKeys', 'list'],
  ['x-kubernetes-list-type', 'XListType', 'value'],
  ['x-kubernetes-map-type', 'XMapType', 'value'],
  ['x-kubernetes-validations', 'XValidations', 'rules'],
];

export const allowedAtRoot: readonly string[] = [
  ...['Description', 'Type', 'Format', 'Title', 'Maximum', 'ExclusiveMaximum', 'Minimum', 'ExclusiveMinimum', 'MaxLength'],
  ...['MinLength', 'Pattern', 'MaxItems', 'MinItems', 'UniqueItems', 'MultipleOf', 'Required', 'Items', 'Properties'],
  ...['ExternalDocs', 'Example', 'XPreserveUnknownFields', 'XValidations'],
];

/** The Go names of the fields that are set. */
export function namesOfSetFields(schema: JsonObject): readonly string[] {
  return fields.filter(([key, , form]) => !isUnset(schema[key], form)).map(([, name]) => name);
}

function isUnset(value: JsonValue | undefined, form: Form): boolean {
  if (value === undefined || value === null) return true;
  if (form === 'text' || form === 'flag') return !value;
  return false;
}

export function internalSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(fields.map(([key, name, form]) => [name, internal(schema[key] ?? null, form)]));
}

function internal(value: JsonValue, form: Form): JsonValue {
  if (value === null) return form === 'text' ? '' : form === 'flag' ? false : null;
  switch (form) {
    case 'schema':
      return isObject(value) ? internalSchema(value) : null;
    case 'schemas':
      return internalSchemas(value);
    case 'named':
      return named(value, (each) => internal(each, 'schema'));
    case 'items':
      return { Schema: internal(value, 'schema'), JSONSchemas: internalSchemas(value) };
    case 'orBool':
      return { Allows: value !== false, Schema: internal(value, 'schema') };
    case 'orTexts':
      return named(value, (each) => ({ Schema: internal(each, 'schema'), Property: Array.isArray(each) ? each : null }));
    case 'docs':
      return isObject(value) ? { Description: value.description ?? '', URL: value.url ?? '' } : null;
    case 'rules':
      return Array.isArray(value) ? value.filter(isObject).map(internalRule) : null;
    default:
      return value;
  }
}

function internalSchemas(value: JsonValue): JsonValue {
  return Array.isArray(value) ? value.filter(isObject).map(internalSchema) : null;
}

function named(value: JsonValue, convert: (each: JsonValue) => JsonValue): JsonValue {
  if (!isObject(value)) return null;
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, convert(value[key] as JsonValue)]));
}

export function internalRule(rule: JsonObject): JsonObject {
  return {
    Rule: rule.rule ?? '',
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  };
}

/** A version without the fields that all versions share. */
export function internalVersion(version: JsonObject): JsonObject {
  const { name = '', served = false, storage = false, deprecated = false, deprecationWarning = null } = version;
  return {
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: deprecated,
    DeprecationWarning: deprecationWarning,
    Schema: internalValidation(version.schema),
    Subresources: internalSubresources(version.subresources),
    AdditionalPrinterColumns: internalList(version.additionalPrinterColumns, internalColumn),
    SelectableFields: internalList(version.selectableFields, ({ jsonPath = '' }) => ({ JSONPath: jsonPath })),
  };
}

function internalValidation(value: JsonValue | undefined): JsonValue {
  return isObject(value) ? { OpenAPIV3Schema: internal(value.openAPIV3Schema ?? null, 'schema') } : null;
}

function internalSubresources(value: JsonValue | undefined): JsonValue {
  if (!isObject(value)) return null;
  const { status = null, scale = null } = value;
  return { Status: status, Scale: isObject(scale) ? internalScale(scale) : null };
}

function internalScale({ specReplicasPath = '', statusReplicasPath = '', labelSelectorPath = null }: JsonObject): JsonObject {
  return { SpecReplicasPath: specReplicasPath, StatusReplicasPath: statusReplicasPath, LabelSelectorPath: labelSelectorPath };
}

function internalColumn(column: JsonObject): JsonObject {
  const { name = '', type = '', format = '', description = '', priority = 0, jsonPath = '' } = column;
  return { Name: name, Type: type, Format: format, Description: description, Priority: priority, JSONPath: jsonPath };
}

function internalList(value: JsonValue | undefined, convert: (each: JsonObject) => JsonObject): JsonValue {
  return Array.isArray(value) ? value.filter(isObject).map(convert) : null;
}
