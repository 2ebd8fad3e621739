import type { JsonObject } from '@tsukube/machinery';

/** What changed, for people to read. */
export function specDiff(_old: JsonObject, _now: JsonObject): string {
  return '';
}

export function containerDiff(_old: JsonObject, _now: JsonObject): string {
  return '';
}
