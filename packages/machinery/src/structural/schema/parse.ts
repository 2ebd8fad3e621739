import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import type { SchemaNode, ValidationRule, ValueRules } from './schema-node.ts';

const noKeys: readonly string[] = [];
const noRules: readonly ValidationRule[] = [];
const noNodes: readonly SchemaNode[] = [];
const noValues: readonly JsonValue[] = [];

/** Most leaves have only a type and share one node. */
const plainNodes = new Map<string, SchemaNode>();

/** Parses an openAPIV3Schema. Keywords of the wrong type are ignored: decoding has rejected them before. */
export function parseSchema(props: JsonObject): SchemaNode {
  const type = text(props.type);
  return isPlain(props) ? plainNode(type) : parseNode(props, type);
}

const readerOnly = new Set(['type', 'description', 'title', 'example', 'externalDocs']);

function isPlain(props: JsonObject): boolean {
  for (const key in props) if (!readerOnly.has(key)) return false;
  return true;
}

function plainNode(type: string): SchemaNode {
  let node = plainNodes.get(type);
  if (node === undefined) {
    node = parseNode({}, type);
    // Types come from clients, so the number of shared nodes is limited.
    if (plainNodes.size < 16) plainNodes.set(type, node);
  }
  return node;
}

function parseNode(props: JsonObject, type: string): SchemaNode {
  const properties = parseMap(props.properties);
  const node: Omit<SchemaNode, 'within'> = {
    type,
    nullable: props.nullable === true,
    default: props.default ?? undefined,
    properties,
    defaulted: defaultedIn(properties),
    additional: parseAdditional(props.additionalProperties),
    items: isObject(props.items) ? parseSchema(props.items) : undefined,
    preserveUnknown: props['x-kubernetes-preserve-unknown-fields'] === true,
    embedded: props['x-kubernetes-embedded-resource'] === true,
    intOrString: props['x-kubernetes-int-or-string'] === true,
    listType: optionalText(props['x-kubernetes-list-type']),
    listMapKeys: texts(props['x-kubernetes-list-map-keys']),
    mapType: optionalText(props['x-kubernetes-map-type']),
    rules: parseRules(props['x-kubernetes-validations']),
    values: parseValueRules(props),
  };
  return { ...node, within: foundWithin(node) };
}

const nothing: SchemaNode['within'] = { lists: false, embedded: false, rules: false };

function foundWithin(node: Omit<SchemaNode, 'within'>): SchemaNode['within'] {
  const below = [...(node.properties?.values() ?? [])].map(({ within }) => within);
  if (node.items !== undefined) below.push(node.items.within);
  if (typeof node.additional === 'object') below.push(node.additional.within);
  const lists = node.listType === 'set' || node.listType === 'map' || below.some((within) => within.lists);
  const embedded = node.embedded || below.some((within) => within.embedded);
  const rules = node.rules.length > 0 || below.some((within) => within.rules);
  return lists || embedded || rules ? { lists, embedded, rules } : nothing;
}

function parseMap(value: JsonValue | undefined): ReadonlyMap<string, SchemaNode> | undefined {
  if (!isObject(value)) return undefined;
  const nodes = new Map<string, SchemaNode>();
  for (const key of Object.keys(value)) {
    const props = value[key];
    nodes.set(key, parseSchema(isObject(props) ? props : {}));
  }
  return nodes.size === 0 ? undefined : nodes;
}

function defaultedIn(properties: ReadonlyMap<string, SchemaNode> | undefined): readonly string[] {
  if (properties === undefined) return noKeys;
  const defaulted: string[] = [];
  for (const [key, node] of properties) if (node.default !== undefined) defaulted.push(key);
  return defaulted.length === 0 ? noKeys : defaulted;
}

function parseAdditional(value: JsonValue | undefined): SchemaNode | boolean | undefined {
  if (typeof value === 'boolean') return value;
  return isObject(value) ? parseSchema(value) : undefined;
}

function parseRules(value: JsonValue | undefined): readonly ValidationRule[] {
  if (!Array.isArray(value) || value.length === 0) return noRules;
  return value.filter(isObject).map(parseRule);
}

function parseRule(rule: JsonObject): ValidationRule {
  return {
    rule: text(rule.rule),
    message: text(rule.message),
    messageExpression: text(rule.messageExpression),
    reason: optionalText(rule.reason),
    fieldPath: text(rule.fieldPath),
    optionalOldSelf: typeof rule.optionalOldSelf === 'boolean' ? rule.optionalOldSelf : undefined,
  };
}

const valueKeywords = [
  ...['format', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength', 'minLength', 'pattern', 'maxItems'],
  ...['minItems', 'uniqueItems', 'multipleOf', 'enum', 'maxProperties', 'minProperties', 'required', 'allOf', 'anyOf', 'oneOf'],
  'not',
];

function parseValueRules(props: JsonObject): ValueRules | undefined {
  if (!valueKeywords.some((keyword) => props[keyword] !== undefined)) return undefined;
  return {
    format: text(props.format),
    maximum: number(props.maximum),
    exclusiveMaximum: props.exclusiveMaximum === true,
    minimum: number(props.minimum),
    exclusiveMinimum: props.exclusiveMinimum === true,
    maxLength: number(props.maxLength),
    minLength: number(props.minLength),
    pattern: text(props.pattern),
    maxItems: number(props.maxItems),
    minItems: number(props.minItems),
    uniqueItems: props.uniqueItems === true,
    multipleOf: number(props.multipleOf),
    enum: Array.isArray(props.enum) ? props.enum : noValues,
    maxProperties: number(props.maxProperties),
    minProperties: number(props.minProperties),
    required: texts(props.required),
    allOf: parseList(props.allOf),
    anyOf: parseList(props.anyOf),
    oneOf: parseList(props.oneOf),
    not: isObject(props.not) ? parseSchema(props.not) : undefined,
  };
}

function parseList(value: JsonValue | undefined): readonly SchemaNode[] {
  return Array.isArray(value) && value.length > 0 ? value.filter(isObject).map(parseSchema) : noNodes;
}

function text(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function optionalText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) && value.length > 0 ? value.filter((each) => typeof each === 'string') : noKeys;
}

function number(value: JsonValue | undefined): number | undefined {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'number' ? value : undefined;
}
