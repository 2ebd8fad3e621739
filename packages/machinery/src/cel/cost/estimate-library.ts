import { sortableTypes } from './actual.ts';
import type { SizedNode } from './estimate.ts';
import type { CallEstimate, EstimatedCall } from './estimate-call.ts';
import { authorizationCheck, listCreation, nominal, patternFactor, structCreation, traversal } from './factors.ts';
import { addRanges, type CostEstimate, fixed, most, multiplyRanges, scaleRange, unknownRange } from './range.ts';

type Estimate = (call: EstimatedCall) => CallEstimate | undefined;

const one: CallEstimate = { cost: fixed(1) };
const longestNamedPattern = 128;
const longestFormatName = 64;
const address: CostEstimate = { min: 4, max: 16 };

/** Estimates the functions of the Kubernetes libraries. */
export function estimateLibraryCall(call: EstimatedCall): CallEstimate | undefined {
  if (nominal.has(call.expr.function)) return one;
  return estimates.get(call.expr.function)?.(call);
}

function sizeOf({ estimation }: EstimatedCall, node: SizedNode | undefined): CostEstimate {
  return node?.size ?? (node === undefined || node.path.length === 0 ? undefined : estimation.sizeOf(node.path)) ?? unknownRange;
}

const firstOf = (call: EstimatedCall): CostEstimate => sizeOf(call, call.args[0]);

function readFirst(factor: number): Estimate {
  return (call) => (call.args.length === 0 ? undefined : { cost: scaleRange(firstOf(call), factor) });
}

/** Traverses the target and returns a value of the same size. */
const readTarget: Estimate = (call) => {
  if (call.target === undefined) return undefined;
  const size = sizeOf(call, call.target);
  return { cost: scaleRange(size, traversal), size };
};

const selector: Estimate = (call) => {
  const size = firstOf(call);
  const requirements = scaleRange(scaleRange(size, 0.5), listCreation + structCreation);
  return { cost: addRanges(addRanges(fixed(listCreation), scaleRange(size, traversal)), requirements) };
};

/** The element type and path of a list. */
function elementOf({ type, path }: SizedNode): { kind: string; path: readonly string[] } | undefined {
  const [element] = type.params;
  return element === undefined ? undefined : { kind: element.kind, path: path.length === 0 ? path : [...path, '@items'] };
}

function sizeAt({ estimation }: EstimatedCall, path: readonly string[]): CostEstimate {
  return (path.length === 0 ? undefined : estimation.sizeOf(path)) ?? unknownRange;
}

/** Visits every element once; for strings and bytes every character. */
const traverse: Estimate = (call) => {
  const { target } = call;
  if (target === undefined) return undefined;
  const size = sizeOf(call, target);
  const element = elementOf(target);
  if (element === undefined) return { cost: scaleRange(size, traversal) };
  const textual = element.kind === 'string' || element.kind === 'bytes';
  const each = textual ? addRanges(fixed(1), scaleRange(sizeAt(call, element.path), traversal)) : fixed(1);
  return { cost: multiplyRanges(size, each) };
};

const url: Estimate = (call) =>
  call.args.length === 1 ? { cost: scaleRange(firstOf(call), traversal), size: firstOf(call) } : undefined;

const replace: Estimate = (call) => {
  if (call.target === undefined || call.args.length < 2) return undefined;
  const size = sizeOf(call, call.target);
  const [old, by] = [firstOf(call), sizeOf(call, call.args[1])];
  const count = { min: shortestCount(size, old, by), max: longestCount(size, old, by) };
  const kept = {
    min: keepsAll(old.max === 0 || old.max <= by.min, size.min),
    max: keepsAll(old.min === 0 || by.max <= old.min, size.max),
  };
  return { cost: scaleRange(size, 2 * traversal), size: addRanges(multiplyRanges(count, by), kept) };
};

function keepsAll(keeps: boolean, size: number): number {
  return keeps ? size : 0;
}

/** Replacing the empty string inserts around every character. */
function longestCount(size: CostEstimate, old: CostEstimate, by: CostEstimate): number {
  if (old.min === 0) return Math.min(size.max + 1, most);
  return by.max <= old.min ? 0 : Math.ceil(size.max / old.min);
}

function shortestCount(size: CostEstimate, old: CostEstimate, by: CostEstimate): number {
  if (old.max === 0) return Math.min(size.min + 1, most);
  return old.max <= by.min ? 0 : Math.ceil(size.min / old.max);
}

const split: Estimate = (call) => {
  if (call.target === undefined) return undefined;
  const size = sizeOf(call, call.target);
  const limit = call.args[1]?.expr;
  const max = limit?.is === 'literal' && typeof limit.value === 'number' ? limit.value : size.max;
  return { cost: scaleRange(size, 2 * traversal), size: { min: 0, max: max < 0 ? most : max } };
};

const join: Estimate = (call) => {
  if (call.target === undefined) return undefined;
  const items = sizeOf(call, call.target);
  const element = elementOf(call.target);
  let size = element === undefined ? fixed(0) : multiplyRanges(items, sizeAt(call, element.path));
  if (call.args.length > 0) {
    const separators = { min: Math.max(items.min - 1, 0), max: Math.max(items.max - 1, 0) };
    size = addRanges(size, multiplyRanges(firstOf(call), separators));
  }
  return { cost: scaleRange(size, traversal), size };
};

const search: Estimate = (call) => {
  if (call.target === undefined || call.args.length === 0) return undefined;
  const size = sizeOf(call, call.target);
  const text = scaleRange(addRanges(size, fixed(1)), traversal);
  return { cost: multiplyRanges(text, scaleRange(firstOf(call), patternFactor)), size: { min: 0, max: size.max } };
};

const ip: Estimate = (call) => (call.overload === 'cidr_ip' ? one : readFirst(traversal)(call));

/** Adds the cost of parsing if the argument is a string. */
function compared(cost: CostEstimate, parsing: string): Estimate {
  return (call) => {
    if (call.args.length === 0) return undefined;
    return { cost: call.overload === parsing ? addRanges(cost, scaleRange(firstOf(call), traversal)) : cost };
  };
}

const twoAddresses = scaleRange(addRanges(address, address), traversal);
const threeAddresses = addRanges(addRanges(twoAddresses, scaleRange(address, traversal)), fixed(1));

const validate: Estimate = (call) =>
  call.args.length === 0
    ? undefined
    : { cost: scaleRange(scaleRange(firstOf(call), traversal), longestNamedPattern * patternFactor) };

const fixedPrices = new Set([
  ...['net.IP', 'net.CIDR', 'kubernetes.Quantity', 'kubernetes.Semver', 'kubernetes.authorization.Authorizer'],
  ...['PathCheck', 'GroupCheck', 'ResourceCheck', 'Decision'].map((name) => `kubernetes.authorization.${name}`),
]);

const equals: Estimate = ({ args: [left, right] }) => {
  if (left === undefined || right === undefined || left.type.name !== right.type.name) return undefined;
  if (fixedPrices.has(left.type.name)) return one;
  if (left.type.name === 'kubernetes.NamedFormat') return { cost: scaleRange({ min: 1, max: longestFormatName }, traversal) };
  if (left.type.name !== 'kubernetes.URL') return undefined;
  return { cost: scaleRange({ min: 1, max: right.size?.max ?? 1 }, traversal) };
};

const estimates = new Map<string, Estimate>([
  ['check', () => ({ cost: fixed(authorizationCheck) })],
  ['fieldSelector', selector],
  ['labelSelector', selector],
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name) => [name, traverse] as const),
  ['url', url],
  ['jsonpatch.escapeKey', url],
  ...['lowerAscii', 'upperAscii', 'substring', 'trim'].map((name) => [name, readTarget] as const),
  ['replace', replace],
  ['split', split],
  ['join', join],
  ['find', search],
  ['findAll', search],
  ...['cidr', 'isIP', 'isCIDR', 'quantity', 'isQuantity', 'semver', 'isSemver'].map(
    (name) => [name, readFirst(traversal)] as const,
  ),
  ['ip', ip],
  ['ip.isCanonical', readFirst(2 * traversal)],
  ['containsIP', compared(twoAddresses, 'cidr_contains_ip_string')],
  ['containsCIDR', compared(threeAddresses, 'cidr_contains_cidr_string')],
  ['validate', validate],
  ['_==_', equals],
]);

const sorts = new Map(
  sortableTypes.flatMap((type) => [
    [`list_${type}_sort`, type],
    [`list_${type}_sortByAssociatedKeys`, type],
  ]),
);

/** Estimates cel-go's extensions for lists and sets. */
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

/** Like cel-go's uint64 arithmetic: an underflow becomes the maximum. */
function difference(end: number, start: number): number {
  return end < start ? most : end - start;
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
