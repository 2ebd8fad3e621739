import { allocate } from './concurrency-allocation.ts';
import type { PriorityLevel } from './priority-level.ts';

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
