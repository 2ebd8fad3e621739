import type { LoopHold } from './event-loop.ts';

/** Cost of a request with `count` elements or characters; undefined if it is refused for its size. */
export type Measure = (count: number) => Promise<LoopHold | undefined>;

export interface Bounds {
  /** Processor time that is not worth a second measurement, in ms. */
  readonly briefMs: number;
  /** Longest accepted turn of the event loop, in ms. */
  readonly longestMs: number;
}

/** Twice the size takes twice the time when linear, four times when quadratic. */
const steepestRatio = 3;

/**
 * Measurements of each size before a complaint counts, and before it is dismissed: a garbage collection in one of them must
 * decide neither.
 */
const rounds = 5;
const roundsToDismiss = 2;

/**
 * Complaint about a cost that grows faster than its input, or that holds one turn for too long; undefined if there is none.
 * A suspicion is measured again, sizes alternating, and dropped as soon as the minima do not bear it out.
 */
export async function disproportion(measure: Measure, count: number, bounds: Bounds): Promise<string | undefined> {
  const first = await measure(2 * count);
  if (first === undefined || (first.total <= bounds.briefMs && first.longest <= bounds.longestMs)) return undefined;
  let [half, whole] = [unmeasured, first];
  for (let round = 1; round <= rounds; round++) {
    half = lower(half, await measure(count));
    whole = lower(whole, await measure(2 * count));
    if (round >= roundsToDismiss && isFine(half, whole, bounds)) return undefined;
  }
  const figures = `${inMs(half)} for ${count}, ${inMs(whole)} for ${2 * count}, longest turn ${Math.round(whole.longest)} ms`;
  if (whole.longest > bounds.longestMs) return `stall: ${figures}`;
  return (await staysSteep(measure, count, whole, bounds)) ? `superlinear: ${figures}` : undefined;
}

/** Whether the next doubling is as steep. Sizes beyond the limit of a request cannot clear it. */
async function staysSteep(measure: Measure, count: number, whole: LoopHold, bounds: Bounds): Promise<boolean> {
  let double = unmeasured;
  for (let round = 1; round <= rounds; round++) {
    double = lower(double, await measure(4 * count));
    if (double !== unmeasured && !isSteep(whole, double, bounds)) return false;
  }
  return true;
}

const unmeasured: LoopHold = { total: Infinity, longest: Infinity };

function lower(a: LoopHold, b: LoopHold = unmeasured): LoopHold {
  return b === unmeasured ? a : { total: Math.min(a.total, b.total), longest: Math.min(a.longest, b.longest) };
}

function isSteep(half: LoopHold, whole: LoopHold, { briefMs }: Bounds): boolean {
  return whole.total > briefMs && whole.total > steepestRatio * half.total;
}

function isFine(half: LoopHold, whole: LoopHold, bounds: Bounds): boolean {
  return !isSteep(half, whole, bounds) && whole.longest <= bounds.longestMs;
}

function inMs({ total }: LoopHold): string {
  return `${Math.round(total)} ms`;
}
