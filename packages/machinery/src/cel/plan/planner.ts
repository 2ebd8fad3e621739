import { actualCost } from '../cost/actual.ts';
import type { FunctionDeclaration, Names } from '../library/declarations.ts';
import { conversionNames } from '../library/standard-functions.ts';
import { type Call, type Comprehension, type Expr, operators, type Select, type Struct } from '../syntax/ast.ts';
import { HashMap } from '../values/hash-map.ts';
import { ArrayList, type CelList, CelTypeValue, type CelValue } from '../values/value.ts';
import { addQualifier } from './attribute.ts';
import { callEval, equalEval, logicEval, manyEval, notStrictlyFalseEval, optionalOrEval, unequalEval } from './call.ts';
import { listEval, mapEval, StructMap, structEval } from './collections.ts';
import { bindEval, foldEval } from './comprehension.ts';
import { implementationOf } from './dispatch.ts';
import type { Eval } from './evaluation.ts';
import {
  checkPattern,
  conditional,
  folded,
  indexed,
  type Node,
  PlanError,
  patternFunctions,
  setMembership,
  toAttribute,
  toEval,
} from './node.ts';

export interface Plan {
  readonly run: Eval;
  /** Slots of the variables. */
  readonly variables: ReadonlyMap<string, number>;
  readonly slots: number;
}

/** Throws PlanError. */
export function plan(expr: Expr, names: Names): Plan {
  const planner = new Planner(names);
  const run = planner.eval(expr);
  return { run, variables: planner.variables, slots: planner.slots };
}

class Planner {
  readonly variables = new Map<string, number>();
  slots = 0;
  readonly #names: Names;
  /** Slots of comprehension variables, innermost last. */
  readonly #scopes: Map<string, number>[] = [];

  constructor(names: Names) {
    this.#names = names;
  }

  eval(expr: Expr): Eval {
    return toEval(this.#plan(expr));
  }

  #plan(expr: Expr): Node {
    switch (expr.is) {
      case 'literal':
        return { is: 'constant', value: expr.value };
      case 'ident':
        return this.#ident(expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return this.#call(expr);
      case 'list':
        return this.#list(expr);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return { is: 'eval', run: this.#comprehension(expr) };
      case 'invalid':
        throw new PlanError('unsupported expr');
    }
  }

  #ident(name: string): Node {
    const local = this.#scopes.findLast((scope) => scope.has(name))?.get(name);
    const declared = local === undefined ? this.#names.ident(name) : undefined;
    if (declared?.value !== undefined) return { is: 'constant', value: declared.value };
    if (declared?.names !== undefined) return { is: 'constant', value: new CelTypeValue(declared.names) };
    const slot = local ?? this.#variable(name);
    return { is: 'attribute', attribute: { root: 'variable', slot, name, qualifiers: [] }, tests: false };
  }

  #variable(name: string): number {
    const known = this.variables.get(name);
    if (known !== undefined) return known;
    this.variables.set(name, this.slots);
    return this.slots++;
  }

  #select(expr: Select): Node {
    if (expr.qualifiedName !== undefined) return this.#ident(expr.qualifiedName);
    const attribute = toAttribute(this.#plan(expr.operand));
    addQualifier(attribute, { constant: expr.field, optional: false, testOnly: expr.testOnly });
    return { is: 'attribute', attribute, tests: expr.testOnly };
  }

  #call(expr: Call): Node {
    const parts = expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    const args = parts.map((part) => this.#plan(part));
    return this.#special(expr, args) ?? this.#function(expr, args);
  }

  /** Operators and functions that need their own closures. */
  #special(expr: Call, args: readonly Node[]): Node | undefined {
    const evals = () => args.map(toEval) as [Eval, Eval];
    switch (expr.function) {
      case operators.logicalAnd:
        return { is: 'eval', run: logicEval(false, ...evals()) };
      case operators.logicalOr:
        return { is: 'eval', run: logicEval(true, ...evals()) };
      case operators.conditional:
        return conditional(args as readonly [Node, Node, Node]);
      case operators.equals:
        return { is: 'eval', run: equalEval(...evals(), actualCost(expr.function, 'equals')) };
      case operators.notEquals:
        return { is: 'eval', run: unequalEval(...evals(), actualCost(expr.function, 'not_equals')) };
      case operators.notStrictlyFalse:
        return { is: 'eval', run: notStrictlyFalseEval(evals()[0]) };
      case operators.index:
        return indexed(args as readonly [Node, Node], false);
      case operators.optionalIndex:
      case operators.optionalSelect:
        return indexed(args as readonly [Node, Node], true);
      case 'or':
      case 'orValue':
        return { is: 'eval', run: optionalOrEval(...evals(), expr.function === 'orValue') };
      default:
        return undefined;
    }
  }

  #function(expr: Call, args: readonly Node[]): Node {
    const declaration = this.#names.function(expr.function) as FunctionDeclaration;
    const overloads = expr.overloads ?? [];
    const run = implementationOf(declaration, overloads);
    if (run === undefined) throw new PlanError(`no such overload: ${expr.function}`);
    const [first, second] = args;
    if (conversionNames.has(expr.function) && args.length === 1 && first?.is === 'constant') return folded(run(first.value));
    const overload = (overloads.length === 1 && overloads[0]) || '';
    if (overload === 'in_list' && second?.is === 'constant') {
      const membership = setMembership(first as Node, second.value as CelList);
      if (membership !== undefined) return membership;
    }
    const constantPattern = patternFunctions.has(expr.function) && second?.is === 'constant';
    if (constantPattern) checkPattern(second.value);
    const chosenByValues = overloads.length !== 1 && !declaration.operator;
    const evaluate = constantPattern || chosenByValues || overload === 'string_format' ? manyEval : callEval;
    return { is: 'eval', run: evaluate(run, args.map(toEval), actualCost(expr.function, overload)) };
  }

  #list(expr: Expr & { is: 'list' }): Node {
    const elements = expr.elements.map((element) => this.#plan(element));
    const run = listEval(elements.map(toEval), expr.optionals);
    if (expr.optionals.size > 0 || elements.some(({ is }) => is !== 'constant')) return { is: 'eval', run };
    return { is: 'constant', value: new ArrayList(elements.map((element) => (element as { value: CelValue }).value)) };
  }

  #map(expr: Expr & { is: 'map' }): Node {
    const entries = expr.entries.map(({ key, value, optional }) => ({
      key: this.#plan(key),
      value: this.#plan(value),
      optional,
    }));
    const constant = entries.every(({ key, value, optional }) => key.is === 'constant' && value.is === 'constant' && !optional);
    if (!constant) {
      const planned = entries.map(({ key, value, optional }) => ({ key: toEval(key), value: toEval(value), optional }));
      return { is: 'eval', run: mapEval(planned) };
    }
    const map = new HashMap();
    for (const { key, value } of entries) map.set((key as { value: CelValue }).value, (value as { value: CelValue }).value);
    return { is: 'constant', value: map };
  }

  #struct(expr: Struct): Node {
    const type = expr.type;
    const entries = expr.fields.map(({ name, value, optional }) => ({
      key: () => name,
      value: this.eval(value),
      optional,
    }));
    return { is: 'eval', run: structEval(entries, (fields) => (type === undefined ? fields : new StructMap(type, fields))) };
  }

  #comprehension(expr: Comprehension): Eval {
    const range = this.eval(expr.range);
    const init = this.eval(expr.init);
    const [accumulator, variable] = [this.slots++, this.slots++];
    const variable2 = expr.variable2 === undefined ? undefined : this.slots++;
    const variables = new Map([[expr.variable, variable]]);
    if (expr.variable2 !== undefined) variables.set(expr.variable2, variable2 as number);
    this.#scopes.push(new Map([[expr.accumulator, accumulator]]), variables);
    const always = expr.condition.is === 'literal' && expr.condition.value === true;
    const condition = always ? undefined : this.eval(expr.condition);
    const step = this.eval(expr.step);
    this.#scopes.pop();
    const result = this.eval(expr.result);
    this.#scopes.pop();
    const collects = expr.init.is === 'list' && expr.init.elements.length === 0;
    const fold = { range, variable, variable2, accumulator, init, collects, condition, step, result };
    return expr.variable === '#unused' ? bindEval(fold) : foldEval(fold);
  }
}
