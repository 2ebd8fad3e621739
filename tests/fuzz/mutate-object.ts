import { builtinTypes } from '@tsukube/api';
import { deepCopy, type FieldType, isObject, type JsonObject, type JsonValue, setKey } from '@tsukube/machinery';
import type { Random } from '../support/random.ts';
import { randomObject } from '../support/random-object.ts';
import { interesting, oddKeys } from './values.ts';

type Holder = JsonObject | JsonValue[];

/** A field or item of an object, with its parent and its type. */
interface Place {
  readonly holder: Holder;
  readonly key: string | number;
  readonly type: FieldType | undefined;
  /** The type of the parent, if it has one. */
  readonly holderType: string | undefined;
}

/** A copy with some values changed. Values may be taken from `others`. */
export function mutateObject(
  object: JsonObject,
  type: string | undefined,
  others: readonly JsonObject[],
  random: Random,
): JsonObject {
  const copy = deepCopy(object);
  for (let i = 0; i <= random(2); i++) mutateOnce(copy, type, others, random);
  return copy;
}

type Mutation = (place: Place, others: readonly JsonObject[], random: Random) => void;

const mutations: readonly Mutation[] = [
  ({ holder, key }) => remove(holder, key),
  ({ holder, key }, _, random) => put(holder, key, repeated(valueAt(holder, key), random)),
  ({ holder }, _, random) => put(holder, oddKeys[random(oddKeys.length)] as string, interestingValue(random)),
  ({ holder, key }, _, random) => put(holder, key, random(2) === 0 ? [valueAt(holder, key)] : { a: valueAt(holder, key) }),
  ({ holder, key }, _, random) => put(holder, key, tweaked(valueAt(holder, key), random)),
  ({ holder, key }, _, random) => put(holder, key, interestingValue(random)),
  ({ holder, key }, _, random) => put(holder, key, interestingValue(random)),
  (place, others, random) => transplant(place, others[random(others.length)], random),
  (place, _, random) => setKnownField(place, random),
  (place, _, random) => setKnownField(place, random),
  (place, _, random) => setKnownField(place, random),
  (place, _, random) => setKnownField(place, random),
];

function mutateOnce(object: JsonObject, type: string | undefined, others: readonly JsonObject[], random: Random): void {
  const place = placeIn(object, type, random);
  if (place) (mutations[random(mutations.length)] as Mutation)(place, others, random);
}

function interestingValue(random: Random): JsonValue {
  return deepCopy(interesting[random(interesting.length)] as JsonValue);
}

/** A random place: walks down from the root and stops with increasing probability. Rarely chooses type and metadata. */
function placeIn(root: JsonObject, rootType: string | undefined, random: Random): Place | undefined {
  let holder: Holder = root;
  let type: FieldType | undefined = rootType === undefined ? undefined : { is: 'object', ref: rootType };
  for (let depth = 0; ; depth++) {
    const keys: (string | number)[] = Array.isArray(holder) ? [...holder.keys()] : Object.keys(holder);
    if (keys.length === 0) return undefined;
    const key = keys[random(keys.length)] as string | number;
    const isIdentity = depth === 0 && (key === 'apiVersion' || key === 'kind');
    if ((isIdentity || (depth === 0 && key === 'metadata' && random(3) > 0)) && random(20) > 0) continue;
    const holderType: string | undefined = type?.is === 'object' ? type.ref : undefined;
    const valueType = typeWithin(type, key);
    const value = valueAt(holder, key);
    const isHolder = Array.isArray(value) || isObject(value);
    if (!isHolder || random(4) === 0) return { holder, key, type: valueType, holderType };
    if (Object.keys(value).length === 0) return { holder, key, type: valueType, holderType };
    holder = value as Holder;
    type = valueType;
  }
}

function typeWithin(type: FieldType | undefined, key: string | number): FieldType | undefined {
  if (type?.is === 'object') return builtinTypes.get(type.ref).fields.get(String(key))?.type;
  return type?.is === 'list' || type?.is === 'map' ? type.of : undefined;
}

/** Sets a random field of the type to a valid value. */
function setKnownField({ holder, key, type, holderType }: Place, random: Random): void {
  const value = valueAt(holder, key);
  const ref = type?.is === 'object' && isObject(value) ? type.ref : holderType;
  const into = ref === holderType ? holder : (value as JsonObject);
  if (ref === undefined || Array.isArray(into)) {
    put(holder, key, interestingValue(random));
    return;
  }
  const sample = randomObject(ref, random, 1 + random(4));
  const keys = Object.keys(sample).filter((name) => name !== 'apiVersion' && name !== 'kind');
  if (keys.length === 0) return;
  const name = keys[random(keys.length)] as string;
  put(into, name, sample[name] as JsonValue);
}

/** Replaces a value by one of the same name from another object, or by any value. */
function transplant({ holder, key }: Place, other: JsonObject | undefined, random: Random): void {
  if (!other) return;
  const place = placeIn(other, undefined, random);
  if (place) put(holder, key, deepCopy(valueAt(place.holder, place.key)));
}

function repeated(value: JsonValue, random: Random): JsonValue {
  const times = random(8) === 0 ? 200 : 2 + random(4);
  if (typeof value === 'string') return value.repeat(times).slice(0, 20_000);
  if (Array.isArray(value)) return Array.from({ length: Math.min(times, 50) }, () => value).flat();
  return Array.from({ length: Math.min(times, 50) }, () => value);
}

function tweaked(value: JsonValue, random: Random): JsonValue {
  if (typeof value === 'number') return [-value, value + 1, value * 1000, value + 0.5, String(value)][random(5)] as JsonValue;
  if (typeof value === 'boolean') return random(2) === 0 ? !value : String(value);
  if (typeof value !== 'string') return null;
  const at = random(value.length + 1);
  const inserted = String(interesting[random(interesting.length)] ?? '').slice(0, 20);
  return [value.toUpperCase(), value.slice(0, at), value.slice(0, at) + inserted + value.slice(at), ` ${value}`][
    random(4)
  ] as string;
}

function valueAt(holder: Holder, key: string | number): JsonValue {
  return (holder as Record<string | number, JsonValue>)[key] as JsonValue;
}

function put(holder: Holder, key: string | number, value: JsonValue): void {
  if (!Array.isArray(holder)) setKey(holder, String(key), value);
  else if (typeof key === 'number') holder[key] = value;
  else holder.push(value);
}

function remove(holder: Holder, key: string | number): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

export { interestingValue, placeIn, valueAt };
