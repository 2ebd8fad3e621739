/** A block of common lines: `size` lines at `a` in one text and `b` in the other. */
interface Match {
  readonly a: number;
  readonly b: number;
  readonly size: number;
}

interface Change {
  readonly kind: 'equal' | 'change';
  readonly a: readonly [number, number];
  readonly b: readonly [number, number];
}

const context = 3;

/** Limit of line comparisons; the rest then counts as different. */
const maxComparisons = 500_000;

/** A unified diff without file names. */
export function unifiedDiff(before: readonly string[], after: readonly string[]): string {
  return hunksOf(changesOf(before, after))
    .map((hunk) => hunkText(hunk, before, after))
    .join('');
}

/** Very frequent lines are ignored when matching, as in Python's difflib. */
const popularFrom = 200;

function placesOf(lines: readonly string[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (const [i, line] of lines.entries()) {
    const known = places.get(line);
    if (known) known.push(i);
    else places.set(line, [i]);
  }
  if (lines.length < popularFrom) return places;
  const limit = Math.floor(lines.length / 100) + 1;
  for (const [line, found] of places) if (found.length > limit) places.delete(line);
  return places;
}

type Places = ReadonlyMap<string, readonly number[]>;
type Range = readonly [aFrom: number, aTo: number, bFrom: number, bTo: number];

/** All matching blocks in order: the longest first, then recursively on both sides. */
function matchesOf(before: readonly string[], after: readonly string[]): readonly Match[] {
  const places = placesOf(after);
  const found: Match[] = [];
  const open: Range[] = [[0, before.length, 0, after.length]];
  const budget = { left: maxComparisons };
  for (let range = open.pop(); range && budget.left > 0; range = open.pop()) {
    const match = longestMatch(before, after, places, range, budget);
    if (match.size === 0) continue;
    found.push(match);
    const [aFrom, aTo, bFrom, bTo] = range;
    open.push([aFrom, match.a, bFrom, match.b], [match.a + match.size, aTo, match.b + match.size, bTo]);
  }
  return found.sort((x, y) => x.a - y.a || x.b - y.b);
}

function longestMatch(
  before: readonly string[],
  after: readonly string[],
  places: Places,
  range: Range,
  budget: { left: number },
): Match {
  const [aFrom, aTo, bFrom, bTo] = range;
  let best: Match = { a: aFrom, b: bFrom, size: 0 };
  let lengths = new Map<number, number>();
  for (let a = aFrom; a < aTo && budget.left > 0; a++) {
    budget.left--;
    const next = new Map<number, number>();
    for (const b of places.get(before[a] ?? '') ?? []) {
      budget.left--;
      if (b < bFrom) continue;
      if (b >= bTo) break;
      const size = (lengths.get(b - 1) ?? 0) + 1;
      next.set(b, size);
      if (size > best.size) best = { a: a - size + 1, b: b - size + 1, size };
    }
    lengths = next;
  }
  return extended(best, before, after, range);
}

/** Extends a match over adjacent frequent lines. */
function extended(match: Match, before: readonly string[], after: readonly string[], range: Range): Match {
  const [aFrom, aTo, bFrom, bTo] = range;
  let { a, b, size } = match;
  while (a > aFrom && b > bFrom && before[a - 1] === after[b - 1]) {
    a--;
    b--;
    size++;
  }
  while (a + size < aTo && b + size < bTo && before[a + size] === after[b + size]) size++;
  return { a, b, size };
}

function changesOf(before: readonly string[], after: readonly string[]): readonly Change[] {
  const changes: Change[] = [];
  let [a, b] = [0, 0];
  const end = { a: before.length, b: after.length, size: 0 };
  for (const match of [...matchesOf(before, after), end]) {
    if (match.a > a || match.b > b) changes.push({ kind: 'change', a: [a, match.a], b: [b, match.b] });
    [a, b] = [match.a + match.size, match.b + match.size];
    const last = changes.at(-1);
    if (match.size === 0) continue;
    if (last?.kind === 'equal') changes[changes.length - 1] = { kind: 'equal', a: [last.a[0], a], b: [last.b[0], b] };
    else changes.push({ kind: 'equal', a: [match.a, a], b: [match.b, b] });
  }
  return changes;
}

/** Groups changes that are close to each other into hunks. */
function hunksOf(changes: readonly Change[]): readonly (readonly Change[])[] {
  const hunks: Change[][] = [];
  let hunk: Change[] = [];
  for (const [i, change] of changes.entries()) {
    if (change.kind === 'change') {
      hunk.push(change);
      continue;
    }
    const [isFirst, isLast] = [i === 0, i === changes.length - 1];
    const length = change.a[1] - change.a[0];
    if (isFirst || isLast) {
      hunk.push(isFirst ? tail(change) : head(change));
    } else if (length > 2 * context) {
      hunks.push([...hunk, head(change)]);
      hunk = [tail(change)];
    } else hunk.push(change);
  }
  if (hunk.some(({ kind }) => kind === 'change')) hunks.push(hunk);
  return hunks;
}

function head({ a, b }: Change): Change {
  return { kind: 'equal', a: [a[0], Math.min(a[1], a[0] + context)], b: [b[0], Math.min(b[1], b[0] + context)] };
}

function tail({ a, b }: Change): Change {
  return { kind: 'equal', a: [Math.max(a[0], a[1] - context), a[1]], b: [Math.max(b[0], b[1] - context), b[1]] };
}

function hunkText(hunk: readonly Change[], before: readonly string[], after: readonly string[]): string {
  const [first, last] = [hunk[0] as Change, hunk.at(-1) as Change];
  let text = `@@ -${rangeText(first.a[0], last.a[1])} +${rangeText(first.b[0], last.b[1])} @@\n`;
  for (const { kind, a, b } of hunk) {
    const marked = (lines: readonly string[], mark: string) => lines.map((line) => `${mark}${line}\n`).join('');
    if (kind === 'equal') text += marked(before.slice(...a), ' ');
    else text += marked(before.slice(...a), '-') + marked(after.slice(...b), '+');
  }
  return text;
}

function rangeText(from: number, to: number): string {
  const length = to - from;
  if (length === 1) return String(from + 1);
  return `${length === 0 ? from : from + 1},${length}`;
}
