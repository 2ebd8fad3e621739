import { CelList, CelMap, CelOpaque, CelOptional, type CelValue, costSize, isError } from '../values/value.ts';
import { authorizationCheck, listCreation, nominal, patternFactor, traversal } from './factors.ts';

/** Cost of a call by its first two arguments. It is charged before the call, so that expensive calls are not made. */
type CostFunction = (first: CelValue, second: CelValue) => number;
/** Cost of a call: fixed, by its arguments, or by its result. */
export type CostOfCall = number | CostFunction | ResultCost;

export class ResultCost {
  readonly of: (result: CelValue) => number;
  constructor(of: (result: CelValue) => number) {
    this.of = of;
  }
}

/** Runtime cost of an overload; the overload is '' if it is chosen by the runtime types. */
export function actualCost(name: string, overload: string): CostOfCall {
  const known = overloadCosts.get(overload) ?? (nominal.has(name) ? 1 : functionCosts.get(name));
  if (known !== undefined) return known;
  return standardCosts.get(overload) ?? 1;
}

/** Kubernetes' cost functions do not unwrap optionals. */
function size(value: CelValue): number {
  return value instanceof CelOptional ? 1 : costSize(value);
}

function read(factor: number): CostFunction {
  return (first) => Math.ceil(size(first) * factor);
}

const readOnce = read(traversal);
const readTwice = read(2 * traversal);

const search: CostFunction = (text, pattern) =>
  Math.ceil((1 + size(text)) * traversal) * Math.ceil(size(pattern) * patternFactor);

function selector(_: CelValue, text: CelValue): number {
  const length = size(text);
  const requirements = Math.ceil(length * 0.5);
  return listCreation + Math.ceil(length * traversal) + Math.ceil(requirements * (listCreation + 40));
}

/** Size of a value including everything nested. */
function traverse(value: CelValue): number {
  if (typeof value === 'string') return Math.floor(Buffer.byteLength(value) * traversal);
  if (value instanceof Uint8Array) return Math.floor(value.length * traversal);
  if (value instanceof CelList) {
    let cost = 0;
    for (let i = 0; i < value.size; i++) cost += traverse(value.at(i));
    return cost;
  }
  if (value instanceof CelMap)
    return value.keys().reduce<number>((sum, key) => sum + traverse(key) + traverse(value.find(key) ?? null), 0);
  return 1;
}

const containsIP: CostFunction = (cidr) => Math.ceil(2 * size(cidr) * traversal);
const containsCIDR: CostFunction = (cidr) => Math.ceil(2 * size(cidr) * traversal) + Math.ceil(size(cidr) * traversal) + 1;

function andRead(cost: CostFunction): CostFunction {
  return (cidr, other) => cost(cidr, other) + Math.ceil(size(other) * traversal);
}

const validate: CostFunction = (format, text) => {
  if (!(format instanceof CelOpaque) || !('maxRegexSize' in format)) return 1;
  return Math.ceil((1 + size(text)) * traversal) * Math.ceil((format.maxRegexSize as number) * patternFactor);
};

/** Opaque Kubernetes types have a fixed comparison cost. */
const equals: CostFunction = (first, second) => {
  if (first instanceof CelOpaque && first.type.kind !== 'unknown') return 1;
  return Math.ceil(Math.min(costSize(first), costSize(second)) * traversal);
};

const functionCosts = new Map<string, CostOfCall>([
  ['check', authorizationCheck],
  ['fieldSelector', selector],
  ['labelSelector', selector],
  ...['isSorted', 'sum', 'max', 'min', 'indexOf', 'lastIndexOf'].map((name) => [name, traverse] as const),
  ...['url', 'lowerAscii', 'upperAscii', 'substring', 'trim', 'jsonpatch.escapeKey'].map((name) => [name, readOnce] as const),
  ['replace', readTwice],
  ['split', readTwice],
  ['join', new ResultCost((result) => Math.ceil(size(result) * 2 * traversal))],
  ['find', search],
  ['findAll', search],
  ...['cidr', 'isIP', 'isCIDR', 'ip', 'quantity', 'isQuantity', 'semver', 'isSemver'].map((name) => [name, readOnce] as const),
  ['ip.isCanonical', readTwice],
  ['containsIP', containsIP],
  ['containsCIDR', containsCIDR],
  ['validate', validate],
  ['_==_', equals],
]);

function allocated(factor: number, items: number): number {
  return Math.floor(items * factor) + 1 + listCreation;
}

const ofResult = new ResultCost((result) => allocated(1, size(result)));

/** Quadratic comparison of all items. */
function compared(list: CelValue): number {
  if (!(list instanceof CelList) || list.size === 0) return allocated(2, 0);
  const first = list.at(0);
  const textual = typeof first === 'string' || first instanceof Uint8Array;
  return allocated(textual ? 2 + traversal : 2, list.size * list.size);
}

function sets(factor: number): CostFunction {
  return (first, second) => 1 + Math.floor(size(first) * size(second) * factor);
}

export const sortableTypes = [
  'int',
  'uint',
  'double',
  'bool',
  'google.protobuf.Duration',
  'google.protobuf.Timestamp',
  'string',
  'bytes',
];

const overloadCosts = new Map<string, CostOfCall>([
  ['cidr_ip', 1],
  ['cidr_contains_ip_string', andRead(containsIP)],
  ['cidr_contains_cidr_string', andRead(containsCIDR)],
  ['list_sets_contains_list', sets(1)],
  ['list_sets_intersects_list', sets(1)],
  ['list_sets_equivalent_list', sets(2)],
  ['list_slice', ofResult],
  ['list_flatten', (list) => allocated(1, size(list))],
  ['list_flatten_int', (list, depth) => allocated(isError(depth) ? 1 : Number(depth), size(list))],
  ['lists_range', ofResult],
  ['list_reverse', ofResult],
  ['list_distinct', compared],
  ...sortableTypes.map((type) => [`list_${type}_sort`, compared] as const),
  ...sortableTypes.map((type) => [`list_${type}_sortByAssociatedKeys`, (_: CelValue, keys: CelValue) => compared(keys)] as const),
]);

const least: CostFunction = (first, second) => Math.ceil(Math.min(costSize(first), costSize(second)) * traversal);
const readFirst: CostFunction = (first) => Math.ceil(costSize(first) * traversal);
const readBoth: CostFunction = (first, second) => Math.ceil((costSize(first) + costSize(second)) * traversal);
const orders = ['less', 'greater', 'less_equals', 'greater_equals'];

const standardCosts = new Map<string, CostOfCall>([
  ...['starts_with_string', 'ends_with_string', 'string_to_bytes', 'bytes_to_string', 'strings_quote', 'string_format'].map(
    (id) => [id, readFirst] as const,
  ),
  ['in_list', (_item, list) => costSize(list)],
  ...orders.flatMap((order) => [[`${order}_string`, least] as const, [`${order}_bytes`, least] as const]),
  ['equals', least],
  ['not_equals', least],
  ['add_string', readBoth],
  ['add_bytes', readBoth],
  [
    'matches_string',
    (text, pattern) => Math.ceil((1 + costSize(text)) * traversal) * Math.ceil(costSize(pattern) * patternFactor),
  ],
  ['contains_string', (text, part) => Math.ceil(costSize(text) * traversal) * Math.ceil(costSize(part) * traversal)],
]);
