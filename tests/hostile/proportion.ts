import type { LoopHold } from './event-loop.ts';

/** The cost of a request with `count` elements or characters; undefined if it is refused because of its size. */
export type Measure = (count: number) => Promise<LoopHold | undefined>;

export interface Bounds {
  /** CPU time below which a request is not measured again, in ms. */
  readonly briefMs: number;
  /** Longest accepted iteration of the event loop, in ms. */
  readonly longestMs: number;
}

/** For twice the size, linear algorithms take twice the time, quadratic ones four times. */
const steepestRatio = 3;

/**
 * Measurements of each size before a finding is accepted or dismissed: a garbage collection in one of them must not decide.
 */
const rounds = 5;
const roundsToDismiss = 2;

/**
 * The problem of a cost that grows faster than its input, or of an iteration of the event loop that is too long; undefined if there is
 * none. A suspicion is measured again with alternating sizes, and dropped as soon as the minima refute it.
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

/** Whether the next doubling is as steep. If that size is refused, the suspicion stands. */
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
