import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { goTypeText, goValueText } from '../../text/go-value.ts';
import { elementOrderPrefix, listOfLists, noMergeKey, patchDirective, withoutReason, wrongType } from './directives.ts';

type List = readonly JsonValue[];

/** The common Go type of all items of all lists. */
export function itemType(...lists: List[]): string {
  let type: string | undefined;
  for (const list of lists) {
    for (const item of list) {
      const current = goTypeText(item);
      if (type === undefined && Array.isArray(item)) throw listOfLists();
      if (type !== undefined && type !== current) {
        throw withoutReason(`list element types are not identical: ${goValueText(lists.map((one) => [...one]))}`);
      }
      type = current;
    }
  }
  if (type === undefined) throw withoutReason('no elements in any of the given slices');
  return type;
}

/**
 * Sorts merged items: items in `patchOrder` by it, the others by `serverOrder`, both interleaved by `serverOrder` where it
 * contains both.
 */
export function orderItems(merged: List, patchOrder: List, serverOrder: List, mergeKey: string): JsonValue[] {
  const patchRank = ranks(patchOrder, mergeKey);
  const serverRank = ranks(serverOrder, mergeKey);
  const named: JsonValue[] = [];
  const others: JsonValue[] = [];
  for (const item of merged) (patchRank.has(identity(item, mergeKey)) ? named : others).push(item);
  sortByRank(named, patchRank, mergeKey);
  sortByRank(others, serverRank, mergeKey);
  return interleave(others, named, (item) => serverRank.get(identity(item, mergeKey)));
}

/** The identity of an item: the value of the merge key, or the item itself without one. */
export function identity(item: JsonValue, mergeKey: string): JsonValue {
  if (mergeKey === '') return item;
  if (!isObject(item)) throw wrongType('map[string]interface {}', item);
  const key = item[mergeKey];
  if (key === undefined) throw noMergeKey(item, mergeKey);
  return key;
}

function ranks(order: List, mergeKey: string): Map<JsonValue, number> {
  const ranks = new Map<JsonValue, number>();
  order.forEach((item, rank) => {
    const key = identity(item, mergeKey);
    if (!ranks.has(key)) ranks.set(key, rank);
  });
  return ranks;
}

/** Items without a rank go last: delete directives that were added with a new item. */
function sortByRank(items: JsonValue[], rank: ReadonlyMap<JsonValue, number>, mergeKey: string): void {
  const rankOf = (item: JsonValue) => {
    if (isObject(item) && item[patchDirective] === 'delete') return Number.MAX_SAFE_INTEGER;
    return rank.get(identity(item, mergeKey)) ?? Number.MAX_SAFE_INTEGER;
  };
  items.sort((a, b) => rankOf(a) - rankOf(b));
}

/** Takes from `left` while its next item is known to come before the next of `right`. */
function interleave(left: List, right: List, rankOf: (item: JsonValue) => number | undefined): JsonValue[] {
  const all: JsonValue[] = [];
  let next = 0;
  for (const item of right) {
    const rank = rankOf(item);
    for (; next < left.length; next++) {
      const rankOfLeft = rankOf(left[next] as JsonValue);
      if (rank === undefined || rankOfLeft === undefined || rankOfLeft >= rank) break;
      all.push(left[next] as JsonValue);
    }
    all.push(item);
  }
  return [...all, ...left.slice(next)];
}

/** The items of a patch must occur in its $setElementOrder, in that order. */
export function validateElementOrder(patch: List, order: List, mergeKey: string): void {
  if (order.length === 0 || patch.length === 0) return;
  const items = mergeKey === '' ? patch : patch.filter((item) => !isDeletion(item));
  let next = 0;
  for (const place of order) {
    while (next < items.length && hasDirective(items[next])) next++;
    if (next >= items.length) return;
    if (identity(items[next] as JsonValue, mergeKey) === identity(place, mergeKey)) next++;
  }
  if (next < items.length) throw orderMismatch(patch, order);
}

function isDeletion(item: JsonValue): boolean {
  if (!isObject(item)) throw wrongType('map[string]interface {}', item);
  return item[patchDirective] === 'delete';
}

function hasDirective(item: JsonValue | undefined): item is JsonObject {
  return isObject(item) && Object.hasOwn(item, patchDirective);
}

function orderMismatch(patch: List, order: List): Error {
  const [patched, ordered] = [goValueText([...patch]), goValueText([...order])];
  return withoutReason(`The order in patch list:\n${patched}\n doesn't match ${elementOrderPrefix} list:\n${ordered}\n`);
}
