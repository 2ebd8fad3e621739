import { deepEqual, type JsonObject } from '@tsukube/machinery';
import { numberIn, textIn } from '../core/pod-spec/members.ts';

/** All of both lists but those that another one covers. */
export function mergeTolerations(first: readonly JsonObject[], second: readonly JsonObject[]): JsonObject[] {
  const all = [...first, ...second];
  const merged: JsonObject[] = [];
  for (const [i, toleration] of all.entries()) {
    const isCovered =
      merged.some((other) => covers(other, toleration)) ||
      all.slice(i + 1).some((other) => !deepEqual(other, toleration) && covers(other, toleration));
    if (!isCovered) merged.push(toleration);
  }
  return merged;
}

function covers(wide: JsonObject, narrow: JsonObject): boolean {
  if (deepEqual(wide, narrow)) return true;
  const operator = textIn(wide, 'operator');
  const matchesAnyKey = textIn(wide, 'key') === '' && operator === 'Exists';
  if (textIn(wide, 'key') !== textIn(narrow, 'key') && !matchesAnyKey) return false;
  const effect = textIn(wide, 'effect');
  if (effect !== '' && effect !== textIn(narrow, 'effect')) return false;
  if (effect === 'NoExecute' && endsBefore(wide, narrow)) return false;
  if (operator === 'Exists') return true;
  return (operator === 'Equal' || operator === '') && narrow.operator === 'Equal' && narrow.value === wide.value;
}

/** Without a number of seconds a toleration lasts for ever. */
function endsBefore(one: JsonObject, other: JsonObject): boolean {
  if (one.tolerationSeconds === undefined) return false;
  return other.tolerationSeconds === undefined || numberIn(other, 'tolerationSeconds') > numberIn(one, 'tolerationSeconds');
}
