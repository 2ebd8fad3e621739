import type { PriorityLevel } from './priority-level.ts';

/** A claim on a part of a sum: bounds and a target. */
export interface Claim {
  readonly lowerBound: number;
  readonly upperBound: number;
  readonly target: number;
}

export interface Allocation {
  readonly parts: readonly number[];
  /** The parts are this fraction of their targets, within the bounds. */
  readonly fairFraction: number;
}

const minTarget = 0.001;
const epsilon = 1e-7;

/**
 * Splits a sum so that every part is the same fraction of its target, within the bounds. Undefined if the bounds do not allow it.
 */
export function allocate(sum: number, claims: readonly Claim[]): Allocation | undefined {
  const targets = claims.map(({ target }) => Math.max(target, minTarget));
  const low = total(claims.map(({ lowerBound }) => lowerBound));
  const high = total(claims.map(({ upperBound }) => upperBound));
  if (low - sum > epsilon || sum - high > epsilon) return undefined;
  const lowest = claims.map(({ lowerBound }, i) => lowerBound / (targets[i] as number));
  const highest = claims.map(({ upperBound }, i) => upperBound / (targets[i] as number));
  if (sum === 0) return { parts: claims.map(() => 0), fairFraction: 0 };
  if (low - sum > -epsilon) return { parts: claims.map(({ lowerBound }) => lowerBound), fairFraction: Math.min(...lowest) };
  if (sum - high > -epsilon) return { parts: claims.map(({ upperBound }) => upperBound), fairFraction: Math.max(...highest) };
  const fairFraction = fairFractionOf(sum, claims, targets, [...lowest, ...highest]);
  return { parts: claims.map((claim, i) => bounded(claim, fairFraction * (targets[i] as number))), fairFraction };
}

/** The sum of the parts is piecewise linear in the fraction: finds the pair of bounds around it, then interpolates. */
function fairFractionOf(sum: number, claims: readonly Claim[], targets: readonly number[], bounds: readonly number[]): number {
  const given = (fraction: number) => total(claims.map((claim, i) => bounded(claim, fraction * (targets[i] as number))));
  let below = 0;
  for (const bound of [...bounds].sort((a, b) => a - b)) {
    const atBound = given(bound);
    if (atBound < sum) {
      below = bound;
      continue;
    }
    const atBelow = given(below);
    return atBound === atBelow ? bound : below + ((bound - below) * (sum - atBelow)) / (atBound - atBelow);
  }
  return below;
}

function bounded({ lowerBound, upperBound }: Claim, part: number): number {
  return Math.max(lowerBound, Math.min(upperBound, part));
}

function total(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/**
 * Recomputes the seat limits of all levels. Exempt levels take what they use; the rest is split by recent demand. Returns the
 * fair fraction.
 */
export function adjustLimits(levels: readonly PriorityLevel[], serverLimit: number, now: number): number {
  for (const level of levels) level.demand.settle(now);
  const limited = levels.filter((level) => !level.isExempt);
  const exempt = levels.filter((level) => level.isExempt);
  const nominalSum = sum(levels.map(({ nominal }) => nominal));
  const left = nominalSum - sum(exempt.map(({ minLimit }) => minLimit));
  for (const level of exempt) level.setLimit(level.minLimit, level.minLimit, serverLimit);
  const { limits, fairFraction } = split(limited, nominalSum, left);
  for (const [i, level] of limited.entries()) level.setLimit(limits[i] as number, targetOf(level), serverLimit);
  return fairFraction;
}

function split(
  levels: readonly PriorityLevel[],
  nominalSum: number,
  left: number,
): { readonly limits: readonly number[]; readonly fairFraction: number } {
  const lowest = sum(levels.map(({ lower }) => lower));
  const minLimit = sum(levels.map((level) => level.minLimit));
  if (left <= lowest) return { limits: levels.map(({ lower }) => lower), fairFraction: 0 };
  if (left <= minLimit) {
    const share = (left - lowest) / (minLimit - lowest);
    return { limits: levels.map((level) => level.lower + Math.round((level.minLimit - level.lower) * share)), fairFraction: 0 };
  }
  const claims = levels.map((level) => ({ lowerBound: level.minLimit, upperBound: level.upper, target: targetOf(level) }));
  const found = allocate(nominalSum, claims);
  if (!found) return { limits: levels.map(({ limit }) => limit), fairFraction: 0 };
  return { limits: found.parts.map(Math.round), fairFraction: found.fairFraction };
}

function targetOf(level: PriorityLevel): number {
  return Math.max(level.minLimit, level.demand.smoothed);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
