import type { Names } from '../library/declarations.ts';
import { type Call, type Comprehension, type Expr, operators, type Select, type Struct } from '../syntax/ast.ts';
import type { Issues } from '../syntax/source.ts';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  dynType,
  errorType,
  formatType,
  intType,
  isDyn,
  isOptional,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  uintType,
} from '../types/type.ts';
import { CelDouble } from '../values/value.ts';
import { type Resolution, resolveOverload } from './overloads.ts';
import { mostGeneral, Substitutions } from './unify.ts';

/** Type checker: sets the type of every node and the candidate overloads of every call. */
export function checkTypes(expr: Expr, names: Names, issues: Issues): void {
  const checker = new Checker(names, issues);
  checker.check(expr);
  checker.settle();
}

class Checker {
  readonly #names: Names;
  readonly #issues: Issues;
  readonly #substitutions = new Substitutions();
  readonly #typed: Expr[] = [];
  #scope = new Scope();
  #free = 0;

  constructor(names: Names, issues: Issues) {
    this.#names = names;
    this.#issues = issues;
  }

  /** Replaces free type parameters by dyn once the whole expression is checked. */
  settle(): void {
    for (const expr of this.#typed) if (expr.type) expr.type = this.#substitutions.apply(expr.type, true);
  }

  check(expr: Expr): CelType {
    const type = this.#typeOf(expr);
    expr.type = type;
    this.#typed.push(expr);
    return type;
  }

  #typeOf(expr: Expr): CelType {
    switch (expr.is) {
      case 'literal':
        return typeOfLiteral(expr.value);
      case 'ident':
        return this.#ident(expr, expr.name);
      case 'select':
        return this.#select(expr);
      case 'call':
        return expr.function === operators.optionalSelect ? this.#optionalSelect(expr) : this.#call(expr);
      case 'list':
        return this.#list(expr.elements, expr.optionals);
      case 'map':
        return this.#map(expr);
      case 'struct':
        return this.#struct(expr);
      case 'comprehension':
        return this.#comprehension(expr);
      case 'invalid':
        return errorType;
    }
  }

  #ident(expr: Expr & { is: 'ident' }, name: string): CelType {
    const full = withoutDot(name);
    const local = this.#scope.find(full);
    const type = local ?? this.#names.ident(full)?.type;
    if (type !== undefined) {
      expr.name = full;
      return type;
    }
    return this.#undeclared(expr.at, name);
  }

  #undeclared(at: number, name: string): CelType {
    this.#issues.report(at, `undeclared reference to '${name}' (in container '')`);
    return errorType;
  }

  #select(expr: Select): CelType {
    const name = expr.testOnly ? undefined : qualifiedName(expr);
    const known = name === undefined ? undefined : this.#names.ident(name);
    if (known !== undefined) {
      expr.qualifiedName = known.name;
      return known.type;
    }
    const type = this.#field(expr.at, expr.operand, expr.field, false);
    return expr.testOnly ? boolType : this.#substitutions.apply(type, false);
  }

  #optionalSelect(expr: Call): CelType {
    const [operand, field] = expr.args;
    expr.overloads = ['select_optional_field'];
    const name = field?.is === 'literal' && typeof field.value === 'string' ? field.value : '';
    if (field) this.check(field);
    return this.#substitutions.apply(this.#field(expr.at, operand as Expr, name, true), false);
  }

  #field(at: number, operand: Expr, field: string, optional: boolean): CelType {
    const operandType = this.#substitutions.apply(this.check(operand), false);
    const wrapped = isOptional(operandType);
    const type = this.#fieldOf(at, wrapped ? (operandType.params[0] as CelType) : operandType, field);
    return wrapped || optional ? optionalType(type) : type;
  }

  #fieldOf(at: number, target: CelType, field: string): CelType {
    if (target.kind === 'map') return target.params[1] as CelType;
    if (target.kind === 'object') return this.#objectField(at, target, field);
    if (target.kind === 'param') this.#substitutions.assign([dynType], [target]);
    else if (!isDyn(target) && target.kind !== 'error') {
      this.#issues.report(at, `type '${formatType(target)}' does not support field selection`);
    }
    return dynType;
  }

  #objectField(at: number, target: CelType, field: string): CelType {
    if (target.field === undefined) {
      this.#issues.report(at, `unexpected failed resolution of '${target.name}'`);
      return errorType;
    }
    const type = target.field(field);
    if (type === undefined) this.#issues.report(at, `undefined field '${field}'`);
    return type ?? errorType;
  }

  #call(expr: Call): CelType {
    for (const arg of expr.args) this.check(arg);
    const name = withoutDot(expr.function);
    if (expr.target === undefined) return this.#resolve(expr, name, expr.function);
    const prefix = qualifiedName(expr.target);
    const full = prefix === undefined ? undefined : `${prefix}.${expr.function}`;
    if (full !== undefined && this.#names.function(full) !== undefined) {
      expr.target = undefined;
      return this.#resolve(expr, full, full);
    }
    this.check(expr.target);
    return this.#resolve(expr, name, expr.function);
  }

  #resolve(expr: Call, name: string, written: string): CelType {
    const declaration = this.#names.function(name);
    if (declaration === undefined) return this.#undeclared(expr.at, written);
    expr.function = declaration.name;
    const args = expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    const resolution: Resolution = {
      call: expr,
      declaration,
      args,
      substitutions: this.#substitutions,
      issues: this.#issues,
      freshType: () => this.#freshType(),
    };
    return resolveOverload(resolution) ?? errorType;
  }

  #list(elements: readonly Expr[], optionals: ReadonlySet<number>): CelType {
    let joined: CelType | undefined;
    for (const [i, element] of elements.entries()) {
      const type = this.check(element);
      joined = this.#join(joined, optionals.has(i) ? this.#unwrapped(element, type) : type);
    }
    return listType(joined ?? this.#freshType());
  }

  #unwrapped(expr: Expr, type: CelType): CelType {
    if (isOptional(type)) return type.params[0] as CelType;
    if (!isDyn(type)) this.#mismatch(expr.at, optionalType(type), type);
    return type;
  }

  #map(expr: Expr & { is: 'map' }): CelType {
    let key: CelType | undefined;
    let value: CelType | undefined;
    for (const entry of expr.entries) {
      key = this.#join(key, this.check(entry.key));
      const type = this.check(entry.value);
      value = this.#join(value, entry.optional ? this.#unwrapped(entry.value, type) : type);
    }
    return mapType(key ?? this.#freshType(), value ?? this.#freshType());
  }

  /** The common type of two elements, dyn if they differ. The validators reject mixed types where Kubernetes does. */
  #join(previous: CelType | undefined, current: CelType): CelType {
    if (previous === undefined) return current;
    return this.#substitutions.assign([previous], [current]) ? mostGeneral(previous, current) : dynType;
  }

  #mismatch(at: number, expected: CelType, found: CelType): void {
    this.#issues.report(at, `expected type '${formatType(expected)}' but found '${formatType(found)}'`);
  }

  #struct(expr: Struct): CelType {
    const declared = this.#names.ident(withoutDot(expr.typeName));
    if (declared === undefined) {
      this.#undeclared(expr.at, expr.typeName);
      return errorType;
    }
    expr.typeName = declared.name;
    const type = this.#constructed(expr, declared.type);
    for (const field of expr.fields) this.#fieldInit(field, type);
    return type;
  }

  #constructed(expr: Struct, type: CelType): CelType {
    if (type.kind !== 'type') this.#issues.report(expr.at, `'${type.name}' is not a type`);
    else if (type.params[0]?.kind === 'object') return type.params[0];
    else this.#issues.report(expr.at, `'${type.params[0]?.name ?? 'type'}' is not a message type`);
    return errorType;
  }

  #fieldInit(field: Struct['fields'][number], object: CelType): void {
    const found = this.check(field.value);
    const type = field.optional ? this.#unwrapped(field.value, found) : found;
    const expected = object.kind === 'object' ? this.#objectField(field.at, object, field.name) : errorType;
    if (this.#substitutions.assign([expected], [type])) return;
    const message = `expected type of field '${field.name}' is '${formatType(expected)}' but provided type is '${formatType(type)}'`;
    this.#issues.report(field.at, message);
  }

  #comprehension(expr: Comprehension): CelType {
    const range = this.#substitutions.apply(this.check(expr.range), false);
    const accumulated = this.check(expr.init);
    const outer = this.#scope;
    const withAccumulator = new Scope(outer).declare(expr.accumulator, accumulated);
    const [first, second] = this.#variables(expr, range);
    this.#scope = new Scope(withAccumulator).declare(expr.variable, first);
    if (expr.variable2 !== undefined) this.#scope.declare(expr.variable2, second);
    this.#assert(expr.condition, boolType);
    this.#assert(expr.step, accumulated);
    this.#scope = withAccumulator;
    const result = this.check(expr.result);
    this.#scope = outer;
    return this.#substitutions.apply(result, false);
  }

  #variables(expr: Comprehension, range: CelType): readonly [CelType, CelType] {
    const two = expr.variable2 !== undefined;
    const [first = dynType, second = dynType] = range.params;
    switch (range.kind) {
      case 'list':
        return two ? [intType, first] : [first, first];
      case 'map':
        return [first, second];
      case 'dyn':
      case 'error':
      case 'param':
        this.#substitutions.assign([dynType], [range]);
        return [dynType, dynType];
      default: {
        const type = formatType(range);
        this.#issues.report(
          expr.range.at,
          `expression of type '${type}' cannot be range of a comprehension (must be list, map, or dynamic)`,
        );
        return [errorType, errorType];
      }
    }
  }

  #assert(expr: Expr, expected: CelType): void {
    const found = this.check(expr);
    if (!this.#substitutions.assign([expected], [found])) this.#mismatch(expr.at, expected, found);
  }

  #freshType(): CelType {
    return { kind: 'param', name: `_var${this.#free++}`, params: [] };
  }
}

/** Comprehension variables in scope, innermost first. */
class Scope {
  readonly #outer: Scope | undefined;
  readonly #variables = new Map<string, CelType>();

  constructor(outer?: Scope) {
    this.#outer = outer;
  }

  declare(name: string, type: CelType): this {
    this.#variables.set(name, type);
    return this;
  }

  find(name: string): CelType | undefined {
    return this.#variables.get(name) ?? this.#outer?.find(name);
  }
}

function typeOfLiteral(value: unknown): CelType {
  switch (typeof value) {
    case 'boolean':
      return boolType;
    case 'string':
      return stringType;
    case 'number':
    case 'bigint':
      return intType;
    default:
      if (value === null) return nullType;
      return value instanceof Uint8Array ? bytesType : value instanceof CelDouble ? doubleType : uintType;
  }
}

/** The qualified name `a.b.c`, if the expression consists of nothing else. */
export function qualifiedName(expr: Expr): string | undefined {
  if (expr.is === 'ident') return withoutDot(expr.name);
  if (expr.is !== 'select' || expr.testOnly) return undefined;
  const prefix = qualifiedName(expr.operand);
  return prefix === undefined ? undefined : `${prefix}.${expr.field}`;
}

function withoutDot(name: string): string {
  return name.startsWith('.') ? name.slice(1) : name;
}
