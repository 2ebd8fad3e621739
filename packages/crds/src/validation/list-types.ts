import { type FieldErrors, type FieldPath, type JsonObject, objectIn, repeats, textIn, textsIn } from '@tsukube/machinery';

const listType = 'x-kubernetes-list-type';
const mapType = 'x-kubernetes-map-type';
const mapKeys = 'x-kubernetes-list-map-keys';

/** The extension requires the type. Returns whether the schema has it. */
function validateTypeFor(schema: JsonObject, extension: string, type: string, at: FieldPath, errors: FieldErrors): boolean {
  const [actual, message] = [textIn(schema, 'type'), `must be ${type} if ${extension} is specified`];
  if (actual === type) return true;
  if (actual === '') errors.required(at.child('type'), message);
  else errors.invalid(at.child('type'), actual, message);
  return false;
}

export function validateMapType(schema: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const value = schema[mapType];
  if (typeof value !== 'string') return;
  validateTypeFor(schema, mapType, 'object', at, errors);
  if (value !== 'atomic' && value !== 'granular') errors.notSupported(at.child(mapType), value, ['atomic', 'granular']);
}

export function validateListType(schema: JsonObject, at: FieldPath, requireAtomicSets: boolean, errors: FieldErrors): void {
  const value = schema[listType];
  const [keys, typeAt] = [textsIn(schema, mapKeys), at.child(listType)];
  if (typeof value === 'string') {
    const isList = validateTypeFor(schema, listType, 'array', at, errors);
    if (isList && requireAtomicSets && isNonAtomicSet(schema)) validateSetItems(schema, at.child('items'), errors);
    if (!['atomic', 'set', 'map'].includes(value)) errors.notSupported(typeAt, value, ['atomic', 'set', 'map']);
  }
  const needed = 'must be map if x-kubernetes-list-map-keys is non-empty';
  if (keys.length > 0 && typeof value !== 'string') errors.required(typeAt, needed);
  else if (keys.length > 0 && value !== 'map') errors.invalid(typeAt, value, needed);
  if (value === 'map') validateMapList(schema, keys, at, errors);
}

/** Items of a set have to be atomic, as they are compared as a whole. */
export function isNonAtomicSet(schema: JsonObject): boolean {
  const items = objectIn(schema, 'items');
  if (textIn(schema, 'x-kubernetes-list-type') !== 'set' || items === undefined) return false;
  if (textIn(items, 'type') === 'array') return (items['x-kubernetes-list-type'] ?? 'atomic') !== 'atomic';
  return textIn(items, 'type') === 'object' && items['x-kubernetes-map-type'] !== 'atomic';
}

function validateSetItems(schema: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const items = objectIn(schema, 'items') ?? {};
  const extension = textIn(items, 'type') === 'array' ? listType : mapType;
  const message = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  // Kubernetes prints the list type in both cases.
  errors.invalid(at.child(extension), items[listType] ?? null, message);
}

function validateMapList(schema: JsonObject, keys: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (keys.length === 0) errors.required(at.child(mapKeys), 'must not be empty if x-kubernetes-list-type is map');
  const items = objectIn(schema, 'items');
  if ((schema.items ?? null) === null) errors.required(at.child('items'), 'must have a schema if x-kubernetes-list-type is map');
  else if (items === undefined)
    errors.invalid(at.child('items'), schema.items, 'must only have a single schema if x-kubernetes-list-type is map');
  else if (textIn(items, 'type') !== 'object') {
    const message = "must be object if parent array's x-kubernetes-list-type is map";
    errors.invalid(at.child('items', 'type'), textIn(items, 'type'), message);
  } else validateKeyNames(items, keys, at, errors);
}

function validateKeyNames(items: JsonObject, keys: readonly string[], at: FieldPath, errors: FieldErrors): void {
  const properties = objectIn(items, 'properties') ?? {};
  const repeated = repeats(keys);
  for (const [i, key] of keys.entries()) {
    if (errors.full) return;
    const type = Object.hasOwn(properties, key) ? textIn(objectIn(properties, key), 'type') : undefined;
    if (type === undefined) errors.invalid(at.child(mapKeys), [...keys], 'entries must all be names of item properties');
    else if (type === 'array' || type === 'object')
      errors.invalid(
        at.child('items', 'properties').key(key).child('type'),
        textIn(items, 'type'),
        "must be a scalar type if parent array's x-kubernetes-list-type is map",
      );
    if (repeated[i]) errors.invalid(at.child(mapKeys), [...keys], 'must not contain duplicate entries');
  }
}

/** Items of sets and maps must not be null, and map keys are required or have defaults. */
export function validateMapKeys(schema: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [items, type] = [objectIn(schema, 'items'), textIn(schema, listType)];
  if (items === undefined || (type !== 'set' && type !== 'map')) return;
  if (items.nullable === true)
    errors.forbidden(at.child('items', 'nullable'), `cannot be nullable when x-kubernetes-list-type is ${type}`);
  if (type === 'set') return;
  const [required, properties] = [new Set(textsIn(items, 'required')), objectIn(items, 'properties') ?? {}];
  for (const key of textsIn(schema, mapKeys)) {
    if (!Object.hasOwn(properties, key)) continue;
    const [property, keyAt] = [objectIn(properties, key), at.child('items', 'properties').key(key)];
    const because = 'this property is in x-kubernetes-list-map-keys, so it';
    if (!required.has(key) && (property?.default ?? null) === null)
      errors.required(keyAt.child('default'), `${because} must have a default or be a required property`);
    if (property?.nullable === true) errors.forbidden(keyAt.child('nullable'), `${because} cannot be nullable`);
  }
}
