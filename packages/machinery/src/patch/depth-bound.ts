import { isNumberLiteral, type ParsedValue } from '../json/number-literal.ts';

/** The depth limit of the JSON parser: code that walks values is recursive, so a patch must not nest deeper than a body. */
export const maxPatchedDepth = 1_000;
/** Limit of values visited to measure depths in one patch. */
const maxVisits = 4_000_000;

/**
 * Upper bound of the depth of a document under a JSON patch. It is derived from the paths of the operations; the document
 * is measured only if the bound exceeds twice the limit, or the limit after the last operation.
 */
export class DepthBound {
  #bound = maxPatchedDepth;
  #visits = 0;

  /** Notes a value added at depth `steps`. */
  added(steps: number, value: ParsedValue): void {
    if (typeof value === 'object' && value !== null) this.#bound = Math.max(this.#bound, steps + this.#measure(value));
  }

  /** Notes a move or copy of a value from depth `from` to depth `to`. */
  moved(from: number, to: number): void {
    if (to > from) this.#bound += to - from;
  }

  /** Whether the document is too deep; `isFinal` after the last operation. */
  isExceeded(root: ParsedValue, isFinal: boolean): boolean {
    if (this.#bound <= (isFinal ? maxPatchedDepth : 2 * maxPatchedDepth)) return false;
    const depth = this.#measure(root);
    this.#bound = Math.max(depth, maxPatchedDepth);
    return depth > maxPatchedDepth;
  }

  /** Not recursive. Infinite if the limit of visits is exceeded. */
  #measure(root: ParsedValue): number {
    let depth = 0;
    let level: ParsedValue[] = [root];
    while (level.length > 0) {
      this.#visits += level.length;
      if (this.#visits > maxVisits) return Number.POSITIVE_INFINITY;
      const next: ParsedValue[] = [];
      for (const value of level) pushContainers(next, value);
      level = next;
      depth++;
    }
    return depth;
  }
}

function pushContainers(into: ParsedValue[], value: ParsedValue): void {
  if (typeof value !== 'object' || value === null || isNumberLiteral(value)) return;
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object' && item !== null) into.push(item);
  } else {
    for (const key in value) {
      const member = value[key];
      if (typeof member === 'object' && member !== null) into.push(member);
    }
  }
}
