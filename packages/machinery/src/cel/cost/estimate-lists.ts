import type { CostEstimate } from '../contract.ts';
import { sortableTypes } from './actual.ts';
import type { SizedNode } from './estimate.ts';
import type { CallEstimate, EstimatedCall } from './estimate-call.ts';
import { listCreation, traversal } from './factors.ts';
import { addRanges, fixed, most, multiplyRanges, scaleRange, unknownRange } from './range.ts';

const sorts = new Map(
  sortableTypes.flatMap((type) => [
    [`list_${type}_sort`, type],
    [`list_${type}_sortByAssociatedKeys`, type],
  ]),
);

/** The functions on lists and sets that the language is extended by. */
export function estimateListCall(call: EstimatedCall): CallEstimate | undefined {
  const { overload, target, args } = call;
  const own = sizeOf(call, target);
  const [first = unknownRange, second = unknownRange] = args.map((arg) => sizeOf(call, arg));
  const sorted = sorts.get(overload);
  if (sorted !== undefined) {
    const keys = overload.endsWith('_sort') ? own : first;
    return allocating(sorted === 'string' || sorted === 'bytes' ? 2 + traversal : 2, multiplyRanges(keys, keys));
  }
  switch (overload) {
    case 'list_sets_contains_list':
    case 'list_sets_intersects_list':
      return { cost: addRanges(scaleRange(multiplyRanges(first, second), 1), fixed(1)) };
    case 'list_sets_equivalent_list':
      return { cost: addRanges(scaleRange(multiplyRanges(first, second), 2), fixed(1)) };
    case 'list_slice':
      return allocating(1, fixed(difference(constant(args[1], own.max), constant(args[0], 0))));
    case 'list_flatten':
      return allocating(1, own);
    case 'list_flatten_int':
      return allocating(constant(args[0], most), own);
    case 'lists_range':
      return allocating(1, fixed(constant(args[0], most)));
    case 'list_reverse':
      return allocating(1, own);
    case 'list_distinct':
      return allocating(2, multiplyRanges(own, own));
    default:
      return undefined;
  }
}

/** Below zero there is nothing but the other end. */
function difference(end: number, start: number): number {
  return end < start ? most : end - start;
}

function sizeOf({ estimation }: EstimatedCall, node: SizedNode | undefined): CostEstimate {
  return node?.size ?? (node === undefined || node.path.length === 0 ? undefined : estimation.sizeOf(node.path)) ?? unknownRange;
}

function allocating(factor: number, size: CostEstimate): CallEstimate {
  return { cost: addRanges(scaleRange(size, factor), fixed(1 + listCreation)), size };
}

function constant(node: SizedNode | undefined, otherwise: number): number {
  const expr = node?.expr;
  const value =
    expr?.is === 'literal' && (typeof expr.value === 'number' || typeof expr.value === 'bigint') ? expr.value : undefined;
  return value === undefined ? otherwise : Math.max(Number(value), 0);
}
