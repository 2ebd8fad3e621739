import type { PriorityLevel } from './priority-level.ts';

/** One who wants a part of something: not less than a bound, not more than another, and as near to a target as can be. */
export interface Claim {
  readonly lowerBound: number;
  readonly upperBound: number;
  readonly target: number;
}

export interface Allocation {
  readonly parts: readonly number[];
  /** Every part is this much of its target, bounds aside. */
  readonly fairFraction: number;
}

const minTarget = 0.001;
const epsilon = 1e-7;

/**
 * Splits a sum so that every part is the same fraction of its target, as far as the bounds allow. Undefined where the
 * bounds leave no way to do so.
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

/** The sum of the parts grows with the fraction, and does so evenly between two bounds: the right pair is found first. */
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

/** What the exempt take is taken from all others; the rest is split by what each level asked for of late. Gives the fair fraction. */
export function adjustLimits(levels: readonly PriorityLevel[], serverLimit: number, now: number): number {
  for (const level of levels) level.demand.settle(now);
  const limited = levels.filter((level) => !level.isExempt);
  const exempt = levels.filter((level) => level.isExempt);
  const nominalSum = sum(levels.map(({ nominal }) => nominal));
  const left = nominalSum - sum(exempt.map(({ needed }) => needed));
  for (const level of exempt) level.setLimit(level.needed, level.needed, serverLimit);
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
  const needed = sum(levels.map((level) => level.needed));
  if (left <= lowest) return { limits: levels.map(({ lower }) => lower), fairFraction: 0 };
  if (left <= needed) {
    const share = (left - lowest) / (needed - lowest);
    return { limits: levels.map((level) => level.lower + Math.round((level.needed - level.lower) * share)), fairFraction: 0 };
  }
  const claims = levels.map((level) => ({ lowerBound: level.needed, upperBound: level.upper, target: targetOf(level) }));
  const found = allocate(nominalSum, claims);
  if (!found) return { limits: levels.map(({ limit }) => limit), fairFraction: 0 };
  return { limits: found.parts.map(Math.round), fairFraction: found.fairFraction };
}

function targetOf(level: PriorityLevel): number {
  return Math.max(level.needed, level.demand.smoothed);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
