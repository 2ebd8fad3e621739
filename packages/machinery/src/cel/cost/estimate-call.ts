import type { Call } from '../syntax/ast.ts';
import type { EntrySize, Estimation, SizedNode } from './estimate.ts';
import { estimateLibraryCall, estimateListCall } from './estimate-library.ts';
import { patternFactor, traversal } from './factors.ts';
import { addRanges, type CostEstimate, fixed, multiplyRanges, scaleRange, uniteRanges, unknownRange } from './range.ts';

/** A call of one overload, with the known sizes of its arguments. */
export interface EstimatedCall {
  readonly estimation: Estimation;
  readonly expr: Call;
  readonly overload: string;
  readonly target: SizedNode | undefined;
  readonly args: readonly SizedNode[];
  readonly costs: readonly CostEstimate[];
}

export interface CallEstimate {
  readonly cost: CostEstimate;
  /** Size of the result, if known. */
  readonly size?: CostEstimate;
}

/** Cost of a call including its arguments, without its target. */
export function estimateCall(call: EstimatedCall): CallEstimate {
  const own = estimateListCall(call) ?? estimateLibraryCall(call);
  if (own !== undefined) return withArguments(call, own);
  return estimateLogic(call) ?? withArguments(call, estimateStandard(call) ?? { cost: fixed(1) });
}

function withArguments({ costs }: EstimatedCall, { cost, size }: CallEstimate): CallEstimate {
  return { cost: costs.reduce(addRanges, cost), size };
}

/** Short-circuiting operators evaluate only part of their operands. */
function estimateLogic({ estimation, expr, overload, args, costs }: EstimatedCall): CallEstimate | undefined {
  const [first = fixed(0), second = fixed(0), third = fixed(0)] = costs;
  if (overload === 'logical_or' || overload === 'logical_and') {
    return { cost: { min: first.min, max: addRanges(first, second).max } };
  }
  if (overload !== 'conditional') return undefined;
  const [whenTrue, whenFalse] = [args[1] as SizedNode, args[2] as SizedNode];
  estimation.setEntrySize(expr, uniteEntries(estimation.entrySize(whenTrue.expr), estimation.entrySize(whenFalse.expr)));
  return {
    cost: addRanges(first, uniteRanges(second, third)),
    size: uniteRanges(whenTrue.size ?? unknownRange, whenFalse.size ?? unknownRange),
  };
}

function uniteEntries(a: EntrySize | undefined, b: EntrySize | undefined): EntrySize | undefined {
  if (a === undefined || b === undefined) return undefined;
  return { kind: a.kind, key: uniteRanges(a.key, b.key), value: uniteRanges(a.value, b.value) };
}

const least = new Set([
  ...['less', 'greater', 'less_equals', 'greater_equals'].flatMap((order) => [`${order}_string`, `${order}_bytes`]),
  ...['equals', 'not_equals'],
]);

function estimateStandard(call: EstimatedCall): CallEstimate | undefined {
  const { overload, target, args } = call;
  const [first = unknownRange, second = unknownRange] = args.map(({ size }) => size ?? unknownRange);
  const own = target?.size ?? unknownRange;
  if (least.has(overload)) return estimateLeast(first, second);
  switch (overload) {
    case 'string_format':
      return { cost: scaleRange(own, traversal) };
    case 'string_to_bytes':
      return { cost: scaleRange(first, traversal), size: { min: first.min, max: first.max * 4 } };
    case 'bytes_to_string':
      return { cost: scaleRange(first, traversal), size: { min: Math.floor(first.min / 4), max: first.max } };
    case 'strings_quote':
      return { cost: scaleRange(first, traversal), size: { min: first.min + 2, max: first.max * 2 + 2 } };
    case 'starts_with_string':
    case 'ends_with_string':
      return { cost: scaleRange(first, traversal) };
    case 'in_list':
      return { cost: scaleRange(second, 1) };
    case 'matches_string':
      return { cost: multiplyRanges(scaleRange(addRanges(own, fixed(1)), traversal), scaleRange(first, patternFactor)) };
    case 'contains_string':
      return { cost: multiplyRanges(scaleRange(own, traversal), scaleRange(first, traversal)) };
    case 'add_string':
    case 'add_bytes':
    case 'add_list':
      return estimateAddition(call, addRanges(first, second));
    default:
      return undefined;
  }
}

/** Comparison costs the size of the smaller operand. */
function estimateLeast(first: CostEstimate, second: CostEstimate): CallEstimate {
  const max = Math.min(first.max, second.max);
  return { cost: scaleRange({ min: max > 0 ? 1 : 0, max }, traversal) };
}

function estimateAddition({ estimation, expr, overload, args }: EstimatedCall, size: CostEstimate): CallEstimate {
  const [first, second] = args.map(({ expr: each }) => estimation.entrySize(each));
  estimation.setEntrySize(expr, uniteEntries(first, second));
  return { cost: overload === 'add_list' ? fixed(1) : scaleRange(size, traversal), size };
}
