import { goQuote } from '@tsukube/machinery';

/** Completion indexes are lists of intervals: `1,3-5,7`. */
interface Interval {
  readonly first: number;
  readonly last: number;
}

export type Indexes = { readonly problem: string } | { readonly total: number };

/** Parses and counts indexes, each below the number of completions. */
export function checkIndexes(text: string, completions: number): Indexes {
  let total = 0;
  let previous: number | undefined;
  for (const part of text === '' ? [] : text.split(',')) {
    const interval = readInterval(part, completions);
    if (typeof interval === 'string') return { problem: interval };
    if (previous !== undefined && previous >= interval.first)
      return { problem: `non-increasing order, previous: ${previous}, current: ${interval.first}` };
    total += interval.last - interval.first + 1;
    previous = interval.last;
  }
  return { total };
}

/** Reports the first index that is in both lists. Malformed intervals are skipped. */
export function overlapProblem(completed: string, failed: string, completions: number): string | undefined {
  const right = intervals(failed, completions);
  let at = 0;
  for (const one of intervals(completed, completions)) {
    while (at < right.length && (right[at] as Interval).last < one.first) at++;
    const other = right[at];
    if (other && other.first <= one.last)
      return `failedIndexes and completedIndexes overlap at index: ${Math.max(one.first, other.first)}`;
  }
  return undefined;
}

function intervals(text: string, completions: number): readonly Interval[] {
  return text
    .split(',')
    .map((part) => readInterval(part, completions))
    .filter((interval) => typeof interval !== 'string');
}

/** An interval or an error message. */
function readInterval(text: string, completions: number): Interval | string {
  const [first = '', last, ...more] = text.split('-');
  if (more.length > 0)
    return `the fragment ${goQuote(text)} violates the requirement that an index interval can have at most two parts separated by '-'`;
  for (const limit of last === undefined ? [first] : [first, last]) {
    if (!/^\+?[0-9]+$/.test(limit)) return `cannot convert string to integer for index: ${goQuote(limit)}`;
    if (Number(limit) >= completions) return `too large index: ${goQuote(limit)}`;
  }
  const interval = { first: Number(first), last: Number(last ?? first) };
  if (last !== undefined && interval.first >= interval.last)
    return `non-increasing order, previous: ${interval.first}, current: ${interval.last}`;
  return interval;
}
