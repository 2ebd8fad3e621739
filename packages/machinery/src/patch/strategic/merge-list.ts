import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { noMergeKey, patchDirective, unknownPatchType, withoutReason } from './directives.ts';
import { kindOf, type MergeRule } from './lookup.ts';
import { itemType, orderItems } from './order.ts';

type List = readonly JsonValue[];
/** Merges a patch into an item of a list. */
type MergeItem = (original: JsonObject, patch: JsonObject) => JsonObject;

/** With `deleting` ($deleteFromPrimitiveList) the patch lists values to remove. */
export function mergeList(original: List, patch: List, rule: MergeRule, deleting: boolean, mergeItem: MergeItem): JsonValue[] {
  if (rule.strategy !== 'merge' && !deleting) return [...patch];
  if (original.length === 0 && patch.length === 0) return [];
  if (itemType(original, patch) === 'map[string]interface {}') return mergeObjects(original, patch, rule, mergeItem);
  if (deleting) return without(original, new Set(patch));
  return orderItems([...new Set([...original, ...patch])], patch, original, rule.mergeKey);
}

function without(list: List, removed: ReadonlySet<JsonValue>): JsonValue[] {
  return list.filter((value) => !removed.has(value));
}

function mergeObjects(original: List, patch: List, rule: MergeRule, mergeItem: MergeItem): JsonValue[] {
  const { mergeKey } = rule;
  if (mergeKey === '') throw withoutReason(`cannot merge lists without merge key for ${kindOf(rule.type)}`);
  const items = applyDirectives(original as readonly JsonObject[], patch as readonly JsonObject[], mergeKey);
  return orderItems(mergeItems(items.original, items.patch, mergeKey, mergeItem), items.patch, items.original, mergeKey);
}

interface Items {
  readonly original: readonly JsonObject[];
  readonly patch: readonly JsonObject[];
}

/** Applies `$patch: delete` and `$patch: replace`; returns the items to merge. */
function applyDirectives(original: readonly JsonObject[], patch: readonly JsonObject[], mergeKey: string): Items {
  const deleted = new Set<JsonValue>();
  let replace = false;
  for (const item of patch) {
    const directive = item[patchDirective];
    if (directive === undefined) continue;
    if (directive === 'delete') deleted.add(keyOf(item, mergeKey));
    else if (directive === 'replace') replace = true;
    else if (directive === 'merge') throw withoutReason('merging lists cannot yet be specified in the patch');
    else throw unknownPatchType(directive, item);
  }
  const plain = patch.filter((item) => item[patchDirective] === undefined);
  if (replace) return { original: plain, patch: [] };
  const kept = deleted.size === 0 ? original : original.filter((item) => !deleted.has(item[mergeKey] as JsonValue));
  return { original: kept, patch: plain };
}

/**
 * The order of a list after merging, before $setElementOrder. Kubernetes merges in place: new items take the places of
 * deleted ones and are treated as existing.
 */
export function orderAfterMerge(original: List, patch: List, mergeKey: string): List {
  if (mergeKey === '' || !patch.some((item) => isObject(item) && item[patchDirective] === 'delete')) return original;
  const items = applyDirectives(original as readonly JsonObject[], patch as readonly JsonObject[], mergeKey);
  const known = new Set(items.original.map((item) => item[mergeKey]));
  const added = items.patch.filter((item) => !known.has(item[mergeKey]));
  return [...items.original, ...added.slice(0, original.length - items.original.length)];
}

function mergeItems(
  original: readonly JsonObject[],
  patch: readonly JsonObject[],
  mergeKey: string,
  mergeItem: MergeItem,
): JsonValue[] {
  const merged = [...original];
  const positions = new Map<JsonValue | undefined, number>();
  original.forEach((item, position) => {
    const key = item[mergeKey];
    if (!positions.has(key)) positions.set(key, position);
  });
  for (const item of patch) {
    const key = keyOf(item, mergeKey);
    const position = positions.get(key);
    const found = position === undefined ? undefined : merged[position];
    if (position === undefined || !isObject(found)) positions.set(key, merged.push(item) - 1);
    else merged[position] = mergeItem(found, item);
  }
  return merged;
}

function keyOf(item: JsonObject, mergeKey: string): JsonValue {
  const key = item[mergeKey];
  if (key === undefined) throw noMergeKey(item, mergeKey);
  return key;
}
