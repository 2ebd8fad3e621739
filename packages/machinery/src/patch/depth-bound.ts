import type { JsonValue } from '../json/value.ts';

/** The limit of the JSON parser: what walks values does so recursively, and a patch makes nothing deeper than a body can be. */
export const maxPatchedDepth = 1_000;
/** Values that measuring may visit in one patch. */
const maxVisits = 4_000_000;

/**
 * Upper bound of the depth of a document under a JSON patch. It is kept by the paths of the operations, and the document is
 * measured only where the bound leaves twice the limit, or the limit at the end.
 */
export class DepthBound {
  #bound = maxPatchedDepth;
  #visits = 0;

  /** A value was put at a path of so many steps. */
  added(steps: number, value: JsonValue): void {
    if (typeof value === 'object' && value !== null) this.#bound = Math.max(this.#bound, steps + this.#measure(value));
  }

  /** Notes a move or copy of a value from depth `from` to depth `to`. */
  moved(from: number, to: number): void {
    if (to > from) this.#bound += to - from;
  }

  /** Whether the document has to be refused; `isFinal` when no operation follows. */
  isExceeded(root: JsonValue, isFinal: boolean): boolean {
    if (this.#bound <= (isFinal ? maxPatchedDepth : 2 * maxPatchedDepth)) return false;
    const depth = this.#measure(root);
    this.#bound = Math.max(depth, maxPatchedDepth);
    return depth > maxPatchedDepth;
  }

  /** Without recursion. What takes too long to measure counts as too deep. */
  #measure(root: JsonValue): number {
    let depth = 0;
    let level: JsonValue[] = [root];
    while (level.length > 0) {
      this.#visits += level.length;
      if (this.#visits > maxVisits) return Number.POSITIVE_INFINITY;
      const next: JsonValue[] = [];
      for (const value of level) pushContainers(next, value);
      level = next;
      depth++;
    }
    return depth;
  }
}

function pushContainers(into: JsonValue[], value: JsonValue): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) into.push(item);
  } else {
    for (const key in value) {
      const member = value[key];
      if (typeof member === 'object' && member !== null) into.push(member);
    }
  }
}
