import type { CelType } from '../types/type.ts';
import type { CelDouble, CelUint } from '../values/value.ts';

export type LiteralValue = null | boolean | number | bigint | string | Uint8Array | CelDouble | CelUint;

interface Located {
  /** Source position for messages: the operator, or the parenthesis of a call. */
  readonly at: number;
  /** Set by the checker. */
  type?: CelType;
}

interface Literal extends Located {
  readonly is: 'literal';
  readonly value: LiteralValue;
}

interface Ident extends Located {
  is: 'ident';
  name: string;
}

export interface Select extends Located {
  is: 'select';
  readonly operand: Expr;
  readonly field: string;
  readonly testOnly: boolean;
  /** Set by the checker if `a.b.c` is a qualified name. */
  qualifiedName?: string;
}

export interface Call extends Located {
  is: 'call';
  function: string;
  target: Expr | undefined;
  readonly args: readonly Expr[];
  /** Candidate overloads by argument types; set by the checker. */
  overloads?: readonly string[];
}

interface ListExpr extends Located {
  readonly is: 'list';
  readonly elements: readonly Expr[];
  /** Indices of optional elements, written as `?e`. */
  readonly optionals: ReadonlySet<number>;
}

export interface MapEntry {
  readonly at: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface MapExpr extends Located {
  readonly is: 'map';
  readonly entries: readonly MapEntry[];
}

export interface FieldInit {
  readonly at: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

export interface Struct extends Located {
  readonly is: 'struct';
  typeName: string;
  readonly fields: readonly FieldInit[];
}

export interface Comprehension extends Located {
  readonly is: 'comprehension';
  readonly range: Expr;
  readonly variable: string;
  readonly variable2: string | undefined;
  readonly accumulator: string;
  readonly init: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** Placeholder for a syntax error. */
export interface Invalid extends Located {
  readonly is: 'invalid';
}

export type Expr = Literal | Ident | Select | Call | ListExpr | MapExpr | Struct | Comprehension | Invalid;

/** The type of a node after type checking. */
export function checkedType(expr: Expr): CelType {
  return expr.type as CelType;
}

export const operators = {
  add: '_+_',
  conditional: '_?_:_',
  divide: '_/_',
  equals: '_==_',
  greater: '_>_',
  greaterEquals: '_>=_',
  in: '@in',
  index: '_[_]',
  less: '_<_',
  lessEquals: '_<=_',
  logicalAnd: '_&&_',
  logicalNot: '!_',
  logicalOr: '_||_',
  modulo: '_%_',
  multiply: '_*_',
  negate: '-_',
  notEquals: '_!=_',
  notStrictlyFalse: '@not_strictly_false',
  optionalIndex: '_[?_]',
  optionalSelect: '_?._',
  subtract: '_-_',
} as const;
