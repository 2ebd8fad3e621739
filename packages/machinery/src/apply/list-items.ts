import { getKey, isObject, type JsonObject, type JsonValue } from '../json/value.ts';
import { keyElement, type PathElement, valueElement } from '../managed-fields/path-element.ts';
import { goQuote } from '../text/go-quote.ts';
import type { ListMergeSchema } from './merge-schema.ts';

/** An item without identity: a missing key, or a type that a set cannot hold. */
export class UnidentifiedItem extends Error {}

/** The path element of an item: its keys or its value. Throws UnidentifiedItem. */
export function itemElement(item: JsonValue, list: ListMergeSchema): PathElement {
  return list.kind === 'map' ? elementByKeys(item, list) : elementByValue(item);
}

function elementByKeys(item: JsonValue, { keys, defaults }: ListMergeSchema): PathElement {
  if (item === null) throw new UnidentifiedItem('associative list with keys may not have a null element');
  if (!isObject(item)) throw new UnidentifiedItem('associative list with keys may not have non-map elements');
  const found: JsonObject = {};
  let count = 0;
  for (const key of keys) {
    const value = getKey(item, key) ?? defaults.get(key);
    if (value === undefined) continue;
    found[key] = value;
    count++;
  }
  if (count > 0) return keyElement(found);
  const names = keys.map((key) => goQuote(key)).join(' ');
  throw new UnidentifiedItem(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function elementByValue(item: JsonValue): PathElement {
  if (item === null) throw new UnidentifiedItem("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new UnidentifiedItem('not supported: associative list with lists as elements');
  if (isObject(item)) throw new UnidentifiedItem("associative list without keys has an element that's a map type");
  return valueElement(item);
}

/** The items of a list by path element, without those that have no identity. */
export function itemsByElement(list: readonly JsonValue[], schema: ListMergeSchema): Map<PathElement, JsonValue[]> {
  const items = new Map<PathElement, JsonValue[]>();
  for (const item of list) {
    const element = tryElement(item, schema);
    if (element === undefined) continue;
    const same = items.get(element);
    if (same === undefined) items.set(element, [item]);
    else same.push(item);
  }
  return items;
}

export function tryElement(item: JsonValue, schema: ListMergeSchema): PathElement | undefined {
  try {
    return itemElement(item, schema);
  } catch (error) {
    if (error instanceof UnidentifiedItem) return undefined;
    throw error;
  }
}
