import type { Call, Comprehension, Expr, Select } from '../syntax/ast.ts';
import { accumulatorName } from '../syntax/macros.ts';
import { type CelType, dynType, isOptional } from '../types/type.ts';
import { codePointCount } from '../values/value.ts';
import { estimateCall } from './estimate-call.ts';
import { listCreation, mapCreation, structCreation } from './factors.ts';
import {
  addRanges,
  type CostEstimate,
  fixed,
  most,
  multiplyRanges,
  type SizeEstimator,
  uniteRanges,
  unknownRange,
} from './range.ts';

/** An operand with its known size. */
export interface SizedNode {
  readonly expr: Expr;
  readonly path: readonly string[];
  readonly type: CelType;
  readonly size: CostEstimate | undefined;
}

/** Sizes of the entries of a list or map. */
export interface EntrySize {
  readonly kind: 'list' | 'map';
  readonly key: CostEstimate;
  readonly value: CostEstimate;
}

interface LocalVariable {
  readonly path: readonly string[];
  readonly size: CostEstimate | undefined;
  readonly entries: EntrySize | undefined;
}

/** Minimum and maximum cost of an evaluation. */
export function estimateCost(expr: Expr, sizeOf: SizeEstimator = () => undefined): CostEstimate {
  return new Estimation(sizeOf).cost(expr);
}

const one = fixed(1);
const zero = fixed(0);

export class Estimation {
  readonly sizeOf: SizeEstimator;
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, CostEstimate>();
  readonly #entries = new Map<Expr, EntrySize>();
  readonly #locals = new Map<string, LocalVariable[]>();

  constructor(sizeOf: SizeEstimator) {
    this.sizeOf = sizeOf;
  }

  cost(expr: Expr): CostEstimate {
    switch (expr.is) {
      case 'ident':
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name]);
        return one;
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#sum(
          expr.fields.map(({ value }) => value),
          structCreation,
        );
      case 'comprehension':
        return isBinding(expr) ? this.#binding(expr) : this.#comprehension(expr);
      default:
        return zero;
    }
  }

  #sum(exprs: readonly Expr[], base: number): CostEstimate {
    return exprs.reduce((sum, expr) => addRanges(sum, this.cost(expr)), fixed(base));
  }

  #select(expr: Select): CostEstimate {
    if (expr.qualifiedName !== undefined) {
      this.#paths.set(expr, [expr.qualifiedName]);
      return one;
    }
    const operand = this.cost(expr.operand);
    if (expr.testOnly) return operand;
    this.#paths.set(expr, [...this.pathOf(expr.operand), expr.field]);
    const kind = expr.operand.type?.kind;
    return kind === 'map' || kind === 'object' || kind === 'param' ? addRanges(operand, one) : operand;
  }

  #list(expr: Expr & { is: 'list' }): CostEstimate {
    const cost = this.#sum(expr.elements, listCreation);
    this.#entries.set(expr, { kind: 'list', key: one, value: this.#united(expr.elements) });
    return cost;
  }

  #map(expr: Expr & { is: 'map' }): CostEstimate {
    const cost = this.#sum(
      expr.entries.flatMap(({ key, value }) => [key, value]),
      mapCreation,
    );
    const key = this.#united(expr.entries.map((entry) => entry.key));
    this.#entries.set(expr, { kind: 'map', key, value: this.#united(expr.entries.map((entry) => entry.value)) });
    return cost;
  }

  #united(exprs: readonly Expr[]): CostEstimate {
    if (exprs.length === 0) return zero;
    return exprs.reduce((size, expr) => uniteRanges(size, this.sizeOrUnknown(expr)), { min: most, max: 0 });
  }

  #call(expr: Call): CostEstimate {
    const [argument] = expr.args;
    if (expr.function === 'dyn' && argument !== undefined) {
      const cost = this.cost(argument);
      this.#copySizes(expr, argument);
      return addRanges(cost, one);
    }
    const costs = expr.args.map((arg) => this.cost(arg));
    const args = expr.args.map((arg) => this.node(arg));
    const targetCost = expr.target === undefined ? zero : this.cost(expr.target);
    const target = expr.target === undefined ? undefined : this.node(expr.target);
    return addRanges(targetCost, this.#overloads(expr, target, args, costs));
  }

  /** A call with several candidate overloads: from the cheapest to the most expensive one. */
  #overloads(
    expr: Call,
    target: SizedNode | undefined,
    args: readonly SizedNode[],
    costs: readonly CostEstimate[],
  ): CostEstimate {
    let cost: CostEstimate = { min: most, max: 0 };
    let size: CostEstimate | undefined;
    for (const overload of expr.overloads ?? []) {
      const estimate = estimateCall({ estimation: this, expr, overload, target, args, costs });
      cost = uniteRanges(cost, estimate.cost);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : uniteRanges(size, estimate.size);
      if (overload === 'index_list' || overload === 'index_map') size = this.#indexed(expr, overload);
      size ??= this.size(expr);
    }
    if (size !== undefined) this.#sizes.set(expr, size);
    return cost;
  }

  #indexed(expr: Call, overload: 'index_list' | 'index_map'): CostEstimate | undefined {
    const container = expr.args[0] as Expr;
    this.#paths.set(expr, [...this.pathOf(container), overload === 'index_list' ? '@items' : '@values']);
    return this.entrySize(container)?.value;
  }

  #comprehension(expr: Comprehension): CostEstimate {
    let sum = addRanges(this.cost(expr.range), this.cost(expr.init));
    this.#push(expr.accumulator, this.#asLocal(expr.init));
    this.#pushVariables(expr);
    const turn = addRanges(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(expr.variable);
    if (expr.variable2 !== undefined) this.#pop(expr.variable2);
    sum = addRanges(sum, this.cost(expr.result));
    this.#pop(expr.accumulator);
    const turns = this.sizeOrUnknown(expr.range);
    this.#setResultSize(expr, turns);
    return addRanges(sum, multiplyRanges(turns, turn));
  }

  #setResultSize(expr: Comprehension, turns: CostEstimate): void {
    if (expr.init.is === 'literal') this.#sizes.set(expr, this.sizeOrUnknown(expr.init));
    if (expr.init.is !== 'list' && expr.init.is !== 'map') return;
    this.#sizes.set(expr, turns);
    const entries = this.entrySize(expr.step);
    if (entries !== undefined) this.#entries.set(expr, entries);
  }

  #pushVariables(expr: Comprehension): void {
    const entries = this.entrySize(expr.range);
    const path = this.pathOf(expr.range);
    const isList = (entries?.kind ?? expr.range.type?.kind) === 'list';
    const local = (step: string, size: CostEstimate | undefined) => ({ path: [...path, step], size, entries: undefined });
    if (expr.variable2 === undefined) {
      this.#push(expr.variable, isList ? local('@items', entries?.value) : local('@keys', entries?.key));
      return;
    }
    this.#push(expr.variable, local(isList ? '@indices' : '@keys', entries?.key));
    this.#push(expr.variable2, local(isList ? '@items' : '@values', entries?.value));
  }

  #binding(expr: Comprehension): CostEstimate {
    let sum = addRanges(this.cost(expr.range), this.cost(expr.init));
    this.#push(expr.accumulator, this.#asLocal(expr.init));
    sum = addRanges(sum, this.cost(expr.result));
    this.#pop(expr.accumulator);
    this.#copySizes(expr, expr.result);
    return sum;
  }

  #asLocal(expr: Expr): LocalVariable {
    return { path: this.pathOf(expr), size: this.size(expr), entries: this.entrySize(expr) };
  }

  #push(name: string, variable: LocalVariable): void {
    const known = this.#locals.get(name);
    if (known === undefined) this.#locals.set(name, [variable]);
    else known.push(variable);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #local(name: string): LocalVariable | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.size(from);
    if (size !== undefined) this.#sizes.set(to, size);
    this.setEntrySize(to, this.entrySize(from));
  }

  pathOf(expr: Expr): readonly string[] {
    const local = expr.is === 'ident' ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? [];
  }

  node(expr: Expr): SizedNode {
    const path = this.pathOf(expr);
    return { expr, path: path[0] === accumulatorName ? [] : path, type: expr.type ?? dynType, size: this.size(expr) };
  }

  size(expr: Expr): CostEstimate | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr);
    if (known !== undefined) return known;
    const path = this.pathOf(expr);
    const estimated = path.length === 0 ? undefined : this.sizeOf(path);
    if (estimated !== undefined) this.#sizes.set(expr, estimated);
    if (estimated !== undefined) return estimated;
    if (isScalar(expr.type ?? dynType)) return one;
    return expr.is === 'ident' ? this.#local(expr.name)?.size : undefined;
  }

  sizeOrUnknown(expr: Expr): CostEstimate {
    return this.size(expr) ?? unknownRange;
  }

  entrySize(expr: Expr): EntrySize | undefined {
    return this.#entries.get(expr) ?? (expr.is === 'ident' ? this.#local(expr.name)?.entries : undefined);
  }

  setEntrySize(expr: Expr, size: EntrySize | undefined): void {
    if (size !== undefined) this.#entries.set(expr, size);
  }
}

/** Whether a comprehension is only a `cel.bind`. */
function isBinding({ range, condition, accumulator }: Comprehension): boolean {
  const empty = range.is === 'list' && range.elements.length === 0;
  return empty && condition.is === 'literal' && condition.value === false && accumulator !== '__result__';
}

function literalSize(expr: Expr): CostEstimate | undefined {
  if (expr.is === 'list') return fixed(expr.elements.length);
  if (expr.is === 'map') return fixed(expr.entries.length);
  if (expr.is !== 'literal') return undefined;
  if (typeof expr.value === 'string') return fixed(codePointCount(expr.value));
  return fixed(expr.value instanceof Uint8Array ? expr.value.length : 1);
}

function isScalar(type: CelType): boolean {
  if (isOptional(type)) return isScalar(type.params[0] ?? dynType);
  return ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'].includes(type.kind);
}
