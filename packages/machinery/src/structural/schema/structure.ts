import { FieldErrors } from '../../errors/field-errors.ts';
import { type FieldPath, path } from '../../errors/field-path.ts';
import { textIn } from '../../json/fields.ts';
import { deepEqual, type JsonObject } from '../../json/value.ts';
import { isZero, namedSchemas, nestedSchema, nestedSchemas, property } from './props.ts';
import { validateCompleteness, validateNested, validatePattern } from './structure-nested.ts';

/** The position of a node in a schema. */
export type Level = 'root' | 'items' | 'field';

const unsupported: readonly (readonly [key: string, name: string])[] = [
  ['id', 'id'],
  ['$schema', 'schema'],
  ['$ref', '$ref'],
  ['patternProperties', 'patternProperties'],
  ['dependencies', 'dependencies'],
];

/** Why a schema cannot be parsed as a structural schema; undefined if it can. */
export function structuralObstacle(props: JsonObject): string | undefined {
  for (const [key, name] of unsupported) if (!isZero(props[key])) return `OpenAPIV3Schema '${name}' is not supported`;
  if ((props.additionalItems ?? null) !== null) return "OpenAPIV3Schema 'additionalItems' is not supported";
  if (!isZero(props.definitions)) return "OpenAPIV3Schema 'definitions' is not supported";
  if (props['x-kubernetes-preserve-unknown-fields'] === false)
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  if (nestedSchemas(props, 'items').length > 0) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  for (const child of childrenOf(props)) {
    const obstacle = structuralObstacle(child);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

function childrenOf(props: JsonObject): readonly JsonObject[] {
  const nested = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => nestedSchemas(props, key));
  const single = ['not', 'items', 'additionalProperties']
    .map((key) => nestedSchema(props, key))
    .filter((each) => each !== undefined);
  return [...nested, ...single, ...namedSchemas(props, 'properties').map(([, child]) => child)];
}

/** Whether a schema is structural: every field has a type outside of the value validations. */
export function isStructural(props: JsonObject): boolean {
  if (structuralObstacle(props) !== undefined) return false;
  const errors = new FieldErrors();
  validateStructure(props, path('schema'), errors);
  return errors.length === 0;
}

/** Validates that a schema is structural. It must be parseable as one: see structuralObstacle. */
export function validateStructure(props: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const found = new FieldErrors();
  validateNode(props, 'root', at, found);
  validateCompleteness(props, props, at, at, found);
  const text = ({ field, body }: (typeof found.list)[number]) => `${field}: ${body}`;
  found.list.sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0));
  errors.addAll(found);
}

function validateNode(props: JsonObject, level: Level, at: FieldPath, errors: FieldErrors): void {
  const items = nestedSchema(props, 'items');
  if (textIn(props, 'type') === 'array' && items === undefined) errors.required(at.child('items'), 'must be specified');
  if (items !== undefined) validateNode(items, 'items', at.child('items'), errors);
  for (const [key, child] of namedSchemas(props, 'properties'))
    validateNode(child, 'field', at.child('properties').key(key), errors);
  validateAdditional(props, level, at.child('additionalProperties'), errors);
  validateExtensions(props, at, errors);
  validateValueRules(props, level, at, errors);
  validateType(props, level, at, errors);
  validateMeta(props, level, at.child('properties'), errors);
  if (isEmbedded(props) && props['x-kubernetes-preserve-unknown-fields'] !== true && isZero(props.properties))
    errors.required(
      at.child('properties'),
      'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields',
    );
}

function isEmbedded(props: JsonObject): boolean {
  return props['x-kubernetes-embedded-resource'] === true;
}

function validateAdditional(props: JsonObject, level: Level, at: FieldPath, errors: FieldErrors): void {
  const { additionalProperties } = props;
  if (additionalProperties === undefined || additionalProperties === null) return;
  if (level === 'root') errors.forbidden(at, 'must not be used at the root');
  const schema = nestedSchema(props, 'additionalProperties');
  if (schema !== undefined) validateNode(schema, 'field', at, errors);
  if (isEmbedded(props)) errors.forbidden(at, 'must not be used if x-kubernetes-embedded-resource is set');
}

function validateExtensions(props: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (props['x-kubernetes-int-or-string'] !== true) return;
  for (const key of ['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'])
    if (props[key] === true) errors.invalid(at.child(key), true, 'must be false if x-kubernetes-int-or-string is true');
}

const intOrString: JsonObject[] = [{ type: 'integer' }, { type: 'string' }];

/** Whether alternatives are the anyOf of x-kubernetes-int-or-string, the only ones that may specify types. */
export function isIntOrString(anyOf: JsonObject[string] | undefined): boolean {
  return deepEqual(anyOf, intOrString);
}

function validateValueRules(props: JsonObject, level: Level, at: FieldPath, errors: FieldErrors): void {
  if (!isIntOrString(props.anyOf))
    for (const [i, each] of nestedSchemas(props, 'anyOf').entries())
      validateNested(each, level, at.child('anyOf').index(i), errors);
  for (const [i, each] of nestedSchemas(props, 'allOf').entries())
    validateNested(each, level, at.child('allOf').index(i), errors, i === 0 && isIntOrString(each.anyOf));
  for (const [i, each] of nestedSchemas(props, 'oneOf').entries())
    validateNested(each, level, at.child('oneOf').index(i), errors);
  const not = nestedSchema(props, 'not');
  if (not !== undefined) validateNested(not, level, at.child('not'), errors);
  validatePattern(props, at, errors);
}

const emptyType: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  items: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};

function validateType(props: JsonObject, level: Level, path: FieldPath, errors: FieldErrors): void {
  const [type, at] = [textIn(props, 'type'), path.child('type')];
  if (isEmbedded(props) && type !== 'object') {
    const message = 'must be object if x-kubernetes-embedded-resource is true';
    if (type === '') errors.required(at, message);
    else errors.invalid(at, type, message);
  } else if (type === '' && !isTypeless(props)) errors.required(at, emptyType[level]);
  if (level === 'root' && type !== '' && type !== 'object') errors.invalid(at, type, 'must be object at the root');
}

function isTypeless(props: JsonObject): boolean {
  return props['x-kubernetes-int-or-string'] === true || props['x-kubernetes-preserve-unknown-fields'] === true;
}

/** Restrictions for the schemas of apiVersion, kind and metadata. */
function validateMeta(props: JsonObject, level: Level, at: FieldPath, errors: FieldErrors): void {
  const isResource = level === 'root' || isEmbedded(props);
  for (const key of ['kind', 'apiVersion']) {
    const schema = property(props, key);
    if (isResource && schema && textIn(schema, 'type') !== 'string')
      errors.invalid(at.key(key).child('type'), textIn(schema, 'type'), 'must be string');
  }
  const metadata = property(props, 'metadata');
  if (metadata === undefined) return;
  if (isResource && textIn(metadata, 'type') !== 'object')
    errors.invalid(at.key('metadata').child('type'), textIn(metadata, 'type'), 'must be object');
  if (level === 'root' && !saysOnlyNames(metadata))
    errors.forbidden(
      at.key('metadata'),
      'must not specify anything other than name and generateName, but metadata is implicitly specified',
    );
}

function saysOnlyNames(metadata: JsonObject): boolean {
  const names = namedSchemas(metadata, 'properties').map(([name]) => name);
  if (names.some((name) => name !== 'name' && name !== 'generateName')) return false;
  return Object.keys(metadata).every((key) => ['type', 'default', 'properties'].includes(key) || isZero(metadata[key]));
}
