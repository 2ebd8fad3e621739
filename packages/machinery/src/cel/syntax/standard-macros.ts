import { type Expr, operators } from './ast.ts';
import {
  type Loop,
  loopOver,
  type Macro,
  type MacroCall,
  MacroProblem,
  type MacroSet,
  macroKey,
  partsAt,
  twoVariablesOf,
  variableOf,
} from './macros.ts';

type Variables = Loop['variables'];
type Quantifier = (call: MacroCall, variables: Variables, predicate: Expr) => Expr;

function has({ at, args: [field] }: MacroCall): Expr | MacroProblem {
  if (field?.is !== 'select') return new MacroProblem(field?.at ?? at, 'invalid argument to has() macro');
  return { is: 'select', at, operand: field.operand, field: field.field, testOnly: true };
}

const all: Quantifier = (call, variables, predicate) => {
  const { literal, accumulator, call: make } = partsAt(call.at);
  return loopOver(call, {
    variables,
    init: literal(true),
    condition: make(operators.notStrictlyFalse, accumulator()),
    step: make(operators.logicalAnd, accumulator(), predicate),
    result: accumulator(),
  });
};

const exists: Quantifier = (call, variables, predicate) => {
  const { literal, accumulator, call: make } = partsAt(call.at);
  return loopOver(call, {
    variables,
    init: literal(false),
    condition: make(operators.notStrictlyFalse, make(operators.logicalNot, accumulator())),
    step: make(operators.logicalOr, accumulator(), predicate),
    result: accumulator(),
  });
};

const existsOne: Quantifier = (call, variables, predicate) => {
  const { literal, accumulator, call: make, filtered } = partsAt(call.at);
  return loopOver(call, {
    variables,
    init: literal(0),
    condition: literal(true),
    step: filtered(predicate, make(operators.add, accumulator(), literal(1))),
    result: make(operators.equals, accumulator(), literal(1)),
  });
};

function quantifier(make: Quantifier): Macro {
  return (call) => {
    const variable = variableOf(call.args[0] as Expr, 'argument must be a simple name');
    return variable instanceof MacroProblem ? variable : make(call, [variable], call.args[1] as Expr);
  };
}

function quantifier2(make: Quantifier): Macro {
  return (call) => {
    const variables = twoVariablesOf(call.args[0] as Expr, call.args[1] as Expr);
    return variables instanceof MacroProblem ? variables : make(call, variables, call.args[2] as Expr);
  };
}

/** Collects `element` for every item that passes the filter. */
function collect(call: MacroCall, variables: Variables, filter: Expr | undefined, element: Expr): Expr {
  const { literal, accumulator, call: make, list, filtered } = partsAt(call.at);
  const step = make(operators.add, accumulator(), list(element));
  return loopOver(call, {
    variables,
    init: list(),
    condition: literal(true),
    step: filtered(filter, step),
    result: accumulator(),
  });
}

const map: Macro = (call) => {
  const variable = variableOf(call.args[0] as Expr, 'argument is not an identifier');
  if (variable instanceof MacroProblem) return variable;
  const filter = call.args.length === 3 ? call.args[1] : undefined;
  return collect(call, [variable], filter, call.args.at(-1) as Expr);
};

const filter: Macro = (call) => {
  const variable = variableOf(call.args[0] as Expr, 'argument is not an identifier');
  return variable instanceof MacroProblem ? variable : collect(call, [variable], call.args[1], call.args[0] as Expr);
};

const transformList: Macro = (call) => {
  const variables = twoVariablesOf(call.args[0] as Expr, call.args[1] as Expr);
  if (variables instanceof MacroProblem) return variables;
  const predicate = call.args.length === 4 ? call.args[2] : undefined;
  return collect(call, variables, predicate, call.args.at(-1) as Expr);
};

/** Builds a map from the entries that pass the filter. */
function transformEntries(withKey: boolean): Macro {
  return (call) => {
    const variables = twoVariablesOf(call.args[0] as Expr, call.args[1] as Expr);
    if (variables instanceof MacroProblem) return variables;
    const { literal, accumulator, call: make, map: emptyMap, filtered, ident } = partsAt(call.at);
    const transform = call.args.at(-1) as Expr;
    const inserted = withKey ? [ident(variables[0]), transform] : [transform];
    const step = make('cel.@mapInsert', accumulator(), ...inserted);
    const predicate = call.args.length === 4 ? call.args[2] : undefined;
    const condition = literal(true);
    return loopOver(call, { variables, init: emptyMap(), condition, step: filtered(predicate, step), result: accumulator() });
  };
}

/** `optMap` and `optFlatMap`: evaluates the expression if the optional has a value. */
function optionalMap(name: string, wrap: boolean): Macro {
  return ({ at, target, args: [variable, body] }) => {
    if (variable?.is !== 'ident')
      return new MacroProblem(variable?.at ?? at, `${name}() variable name must be a simple identifier`);
    const { call, literal, ident, list, memberCall } = partsAt(at);
    const bound: Expr = {
      is: 'comprehension',
      at,
      range: list(),
      variable: '#unused',
      variable2: undefined,
      accumulator: variable.name,
      init: memberCall('value', copy(target as Expr)),
      condition: literal(false),
      step: ident(variable.name),
      result: body as Expr,
    };
    const result = wrap ? call('optional.of', bound) : bound;
    return call(operators.conditional, memberCall('hasValue', target as Expr), result, call('optional.none'));
  };
}

/** Deep copy: the checker annotates nodes, so a node must not occur twice. */
function copy<T>(value: T): T {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || value instanceof Set) return value;
  if (Array.isArray(value)) return value.map(copy) as T;
  if (!('at' in value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, copy(each)])) as T;
}

/** The standard macros of CEL. */
export const standardMacros: MacroSet = new Map([
  [macroKey('has', 1, false), has],
  [macroKey('all', 2, true), quantifier(all)],
  [macroKey('exists', 2, true), quantifier(exists)],
  [macroKey('exists_one', 2, true), quantifier(existsOne)],
  [macroKey('map', 2, true), map],
  [macroKey('map', 3, true), map],
  [macroKey('filter', 2, true), filter],
]);

export const optionalMacros: MacroSet = new Map([
  [macroKey('optMap', 2, true), optionalMap('optMap', true)],
  [macroKey('optFlatMap', 2, true), optionalMap('optFlatMap', false)],
]);

/** Two-variable comprehensions over indices and items, or keys and values. */
export const twoVariableMacros: MacroSet = new Map([
  [macroKey('all', 3, true), quantifier2(all)],
  [macroKey('exists', 3, true), quantifier2(exists)],
  [macroKey('exists_one', 3, true), quantifier2(existsOne)],
  [macroKey('existsOne', 3, true), quantifier2(existsOne)],
  [macroKey('transformList', 3, true), transformList],
  [macroKey('transformList', 4, true), transformList],
  [macroKey('transformMap', 3, true), transformEntries(true)],
  [macroKey('transformMap', 4, true), transformEntries(true)],
  [macroKey('transformMapEntry', 3, true), transformEntries(false)],
  [macroKey('transformMapEntry', 4, true), transformEntries(false)],
]);
