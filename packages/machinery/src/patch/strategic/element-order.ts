import { isObject, type JsonObject, type JsonValue } from '../../json/value.ts';
import { goValueText } from '../../text/go-value.ts';
import { elementOrderPrefix, patchDirective } from './directives.ts';
import { unexplained, wrongType } from './errors.ts';
import { identity } from './order.ts';

type List = readonly JsonValue[];

/** The items of a patch must come in the order that it asks for, and all of them must be part of it. */
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
  return unexplained(`The order in patch list:\n${patched}\n doesn't match ${elementOrderPrefix} list:\n${ordered}\n`);
}
