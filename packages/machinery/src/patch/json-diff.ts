import { canonicalJson } from '../json/stringify.ts';
import { deepEqual, getKey, isObject, type JsonObject, type JsonValue } from '../json/value.ts';

/** An operation of a JSON patch that changes a document. */
export type JsonDiffOperation =
  | { readonly op: 'add' | 'replace'; readonly path: string; readonly value: JsonValue }
  | { readonly op: 'remove'; readonly path: string };

/**
 * The JSON patch (RFC 6902) that turns `before` into `after`: it touches only what differs, and is empty if nothing does.
 * Elements that were inserted into or removed from a list are found, unless the lists are long and have little in common.
 */
export function jsonDiff(before: JsonValue, after: JsonValue): JsonDiffOperation[] {
  const operations: JsonDiffOperation[] = [];
  compare(before, after, '', operations);
  return operations;
}

function compare(before: JsonValue, after: JsonValue, path: string, into: JsonDiffOperation[]): void {
  if (deepEqual(before, after)) return;
  if (Array.isArray(before) && Array.isArray(after)) compareLists(before, after, path, into);
  else if (isObject(before) && isObject(after)) compareObjects(before, after, path, into);
  else into.push({ op: 'replace', path, value: after });
}

function compareObjects(before: JsonObject, after: JsonObject, path: string, into: JsonDiffOperation[]): void {
  for (const key of Object.keys(before)) {
    const place = `${path}/${escapeToken(key)}`;
    const value = getKey(after, key);
    if (value === undefined) into.push({ op: 'remove', path: place });
    else compare(before[key] as JsonValue, value, place, into);
  }
  for (const key of Object.keys(after)) {
    if (!Object.hasOwn(before, key))
      into.push({ op: 'add', path: `${path}/${escapeToken(key)}`, value: after[key] as JsonValue });
  }
}

/** RFC 6901. */
function escapeToken(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Goes from the end to the start, so that operations do not shift the elements of later ones. */
function compareLists(before: readonly JsonValue[], after: readonly JsonValue[], path: string, into: JsonDiffOperation[]): void {
  let [end, afterEnd] = [before.length, after.length];
  for (const [index, afterIndex] of [...commonElements(before, after).reverse(), [-1, -1] as const]) {
    compareGap({ before, after, path, into }, [index + 1, end], [afterIndex + 1, afterEnd]);
    [end, afterEnd] = [index, afterIndex];
  }
}

interface ListComparison {
  readonly before: readonly JsonValue[];
  readonly after: readonly JsonValue[];
  readonly path: string;
  readonly into: JsonDiffOperation[];
}

type Range = readonly [start: number, end: number];

/** Elements between two common ones: pairs are compared, the rest is removed or added. */
function compareGap({ before, after, path, into }: ListComparison, [start, end]: Range, [afterStart, afterEnd]: Range): void {
  const pairs = Math.min(end - start, afterEnd - afterStart);
  for (let i = end - 1; i >= start + pairs; i--) into.push({ op: 'remove', path: `${path}/${i}` });
  for (let i = afterStart + pairs; i < afterEnd; i++) {
    into.push({ op: 'add', path: `${path}/${start + i - afterStart}`, value: after[i] as JsonValue });
  }
  for (let i = 0; i < pairs; i++) {
    compare(before[start + i] as JsonValue, after[afterStart + i] as JsonValue, `${path}/${start + i}`, into);
  }
}

type Pair = readonly [index: number, afterIndex: number];

/** Beyond this product of lengths, only the common start and end of two lists are looked for. */
const maxComparisons = 250_000;

/** Positions of equal elements in both lists, in ascending order: a longest common subsequence. */
function commonElements(before: readonly JsonValue[], after: readonly JsonValue[]): Pair[] {
  const texts = before.map((value) => canonicalJson(value));
  const afterTexts = after.map((value) => canonicalJson(value));
  const shorter = Math.min(texts.length, afterTexts.length);
  let start = 0;
  while (start < shorter && texts[start] === afterTexts[start]) start++;
  let tail = 0;
  while (tail < shorter - start && texts.at(-1 - tail) === afterTexts.at(-1 - tail)) tail++;
  const middle = longestCommon(texts.slice(start, texts.length - tail), afterTexts.slice(start, afterTexts.length - tail));
  return [
    ...Array.from({ length: start }, (_, i): Pair => [i, i]),
    ...middle.map(([i, j]): Pair => [start + i, start + j]),
    ...Array.from({ length: tail }, (_, i): Pair => [texts.length - tail + i, afterTexts.length - tail + i]),
  ];
}

function longestCommon(a: readonly string[], b: readonly string[]): Pair[] {
  if (a.length * b.length > maxComparisons) return [];
  const width = b.length + 1;
  // lengths[i * width + j] is the length for the elements from i and from j on.
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => lengths[i * width + j] as number;
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) {
      lengths[i * width + j] = a[i] === b[j] ? 1 + at(i + 1, j + 1) : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: Pair[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (at(i + 1, j) >= at(i, j + 1)) i++;
    else j++;
  }
  return pairs;
}
