import type { CostEstimate } from '../contract.ts';

/** Counts are those of 64 bits: what would be more stays at the most. */
export const most = 2 ** 64;
export const unknownRange: CostEstimate = { min: 0, max: most };

export function fixed(value: number): CostEstimate {
  return { min: value, max: value };
}

function capped(value: number): number {
  return value >= most ? most : value;
}

export function addRanges(a: CostEstimate, b: CostEstimate): CostEstimate {
  return { min: capped(a.min + b.min), max: capped(a.max + b.max) };
}

export function multiplyRanges(a: CostEstimate, b: CostEstimate): CostEstimate {
  return { min: capped(a.min * b.min), max: capped(a.max * b.max) };
}

export function scaleRange({ min, max }: CostEstimate, factor: number): CostEstimate {
  return { min: capped(Math.ceil(min * factor)), max: capped(Math.ceil(max * factor)) };
}

/** The least of both and the most of both. */
export function uniteRanges(a: CostEstimate, b: CostEstimate): CostEstimate {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}
