import { type CacheEntry, memberOf } from '@tsukube/apiserver';

/** Whether two states of a definition serve the same: in the same uid, spec, accepted names and state of termination. */
export function isSameSpec(a: CacheEntry, b: CacheEntry): boolean {
  if (a === b) return true;
  try {
    return parts.every((path) => isSame(memberOf(a.value, ...path), memberOf(b.value, ...path))) && isEnding(a) === isEnding(b);
  } catch {
    // A state that can no longer be read cannot be served from either.
    return false;
  }
}

const parts: readonly (readonly string[])[] = [['metadata', 'uid'], ['spec'], ['status', 'acceptedNames']];

function isSame(a: Buffer | undefined, b: Buffer | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && a.equals(b));
}

/** While it goes, other verbs are announced. */
function isEnding({ value }: CacheEntry): boolean {
  return memberOf(value, 'status', 'conditions')?.includes('"type":"Terminating","status":"True"') ?? false;
}
