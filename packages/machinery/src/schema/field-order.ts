import { memoize } from '../cache/bounded-cache.ts';
import { type JsonObject, type JsonValue, setKey } from '../json/value.ts';
import { internedRecord } from '../managed-fields/managed-fields.ts';
import { isEmpty, omitempty } from './omitempty.ts';
import { type Field, type FieldType, isManagedFieldsType, type TypeCatalogue } from './type.ts';

type Order = (value: JsonValue) => JsonValue;

interface OrderedField {
  readonly place: number;
  /** Absent if the type has no fields to sort. */
  readonly order: Order | undefined;
}

const ordersIn = memoize((_catalogue: TypeCatalogue) => new Map<string, (object: JsonObject) => JsonObject>());

/**
 * Sorts the fields of an object and of everything below it into the order of the type, with null for empty lists and maps
 * without omitempty: the stored form. Unknown fields come last. Returns the object itself if it is sorted; nested values are
 * sorted in place.
 */
export function inFieldOrder(object: JsonObject, type: string, catalogue: TypeCatalogue): JsonObject {
  return orderOf(type, catalogue)(object);
}

function orderOf(name: string, catalogue: TypeCatalogue): (object: JsonObject) => JsonObject {
  const orders = ordersIn(catalogue);
  let order = orders.get(name);
  if (order === undefined) {
    order = compile(name, catalogue);
    orders.set(name, order);
  }
  return order;
}

function compile(name: string, catalogue: TypeCatalogue): (object: JsonObject) => JsonObject {
  const fields = new Map<string, OrderedField>();
  for (const field of catalogue.get(name).fields.values())
    fields.set(field.name, { place: fields.size, order: orderOfField(field, catalogue) });
  return (object) => (orderMembers(object, fields) ? object : rebuilt(object, fields));
}

/** Go's protobuf turns an empty list or map into nil, which JSON writes as null without omitempty. */
function orderOfField(field: Field, catalogue: TypeCatalogue): Order | undefined {
  const order = orderOfType(field.type, catalogue);
  const isCollection = field.type.is === 'list' || field.type.is === 'map';
  if (!isCollection || omitempty(field) !== 'zero') return order;
  return (value) => (value !== null && isEmpty(value) ? null : order ? order(value) : value);
}

function orderOfType(type: FieldType, catalogue: TypeCatalogue): Order | undefined {
  if (type.is === 'object') {
    // Types are recursive, so a reference is resolved on first use.
    let order: ((object: JsonObject) => JsonObject) | undefined;
    return (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      order ??= orderOf(type.ref, catalogue);
      return order(value);
    };
  }
  if (type.is !== 'list' && type.is !== 'map') return undefined;
  const item = orderOfType(type.of, catalogue);
  if (item === undefined) return undefined;
  const records = isManagedFieldsType(type);
  return (value) => {
    if (typeof value === 'object' && value !== null && !(records && internedRecord(value))) orderItems(value, item);
    return value;
  };
}

function orderItems(items: JsonValue[] | JsonObject, order: Order): void {
  // The indexes of an array are keys, too.
  const members = items as JsonObject;
  for (const key of Object.keys(members)) {
    const value = members[key] as JsonValue;
    const ordered = order(value);
    if (ordered !== value) setKey(members, key, ordered);
  }
}

/** Sorts the members in place; returns whether the fields themselves are sorted. */
function orderMembers(object: JsonObject, fields: ReadonlyMap<string, OrderedField>): boolean {
  let last = -1;
  let sorted = true;
  for (const key of Object.keys(object)) {
    const field = fields.get(key);
    const place = field?.place ?? fields.size;
    if (place < last) sorted = false;
    last = place;
    if (field?.order === undefined) continue;
    const value = object[key] as JsonValue;
    const ordered = field.order(value);
    if (ordered !== value) object[key] = ordered;
  }
  return sorted;
}

function rebuilt(object: JsonObject, fields: ReadonlyMap<string, OrderedField>): JsonObject {
  const placeOf = (key: string) => fields.get(key)?.place ?? fields.size;
  const sorted: JsonObject = {};
  for (const key of Object.keys(object).sort((a, b) => placeOf(a) - placeOf(b))) setKey(sorted, key, object[key] as JsonValue);
  return sorted;
}
