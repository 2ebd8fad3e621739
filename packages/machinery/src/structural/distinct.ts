import { sortKeys, stringifyJson } from '../json/stringify.ts';
import type { JsonValue } from '../json/value.ts';

/** Something that is the same for equal values and for no others. */
export function identityOf(value: JsonValue | undefined): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  return `{${stringifyJson(sortKeys(value))}`;
}

/** Whether two values of a list are equal. */
export function isRepeatedIn(list: readonly JsonValue[]): boolean {
  return secondOnes(list.map(identityOf)).length > 0;
}

/** Where in a list something stands for the second time. */
export function secondOnes(identities: readonly unknown[]): readonly number[] {
  if (identities.length < 2) return [];
  const seen = new Map<unknown, number>();
  const second: number[] = [];
  for (let i = 0; i < identities.length; i++) {
    const times = (seen.get(identities[i]) ?? 0) + 1;
    seen.set(identities[i], times);
    if (times === 2) second.push(i);
  }
  return second;
}
