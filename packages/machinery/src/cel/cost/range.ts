import type { DeclaredType } from '../types/declared-type.ts';

export interface CostEstimate {
  readonly min: number;
  readonly max: number;
}

/** Estimates the size of the value at a path such as `['self', 'spec', 'names', '@items']`. Undefined if unknown. */
export type SizeEstimator = (path: readonly string[]) => CostEstimate | undefined;

/** Costs saturate at 64 bits. */
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

/** The union of two ranges. */
export function uniteRanges(a: CostEstimate, b: CostEstimate): CostEstimate {
  return { min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) };
}

/** Sizes from a declared type; paths start at its variable. */
export function declaredSizes(root: DeclaredType): SizeEstimator {
  return (path) => {
    let type: DeclaredType | undefined = root;
    for (const step of path.slice(1)) {
      type = next(type, step);
      if (type === undefined) return undefined;
    }
    return { min: 0, max: type.maxElements };
  };
}

function next(type: DeclaredType, step: string): DeclaredType | undefined {
  if (step === '@items' || step === '@values') return type.element;
  return step === '@keys' ? type.key : type.field?.(step);
}
