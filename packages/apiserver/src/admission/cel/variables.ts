import { goQuote, type JsonObject, textIn } from '@tsukube/machinery';
import {
  anyType,
  CelError,
  CelMap,
  type CelType,
  type CelValue,
  dynType,
  type Environment,
  noSuchOverload,
  objectType,
  unescapeName,
} from '@tsukube/machinery/cel';
import { type AdmissionExpression, compileExpression } from './expression.ts';

/** Expressions that other expressions use as fields of `variables`. */
export interface Composition {
  readonly expressions: ReadonlyMap<string, AdmissionExpression>;
  readonly type: CelType;
}

/** A composition to which variables are added in order; each may use those before it. */
export class VariableCompiler implements Composition {
  readonly #expressions = new Map<string, AdmissionExpression>();
  readonly type: CelType = objectType('kubernetes.variables', (name) => this.#typeOf(name));

  get expressions(): ReadonlyMap<string, AdmissionExpression> {
    return this.#expressions;
  }

  add(
    { name, expression }: { readonly name: string; readonly expression: string },
    environment: Environment,
  ): AdmissionExpression {
    const compiled = compileExpression(expression, [anyType], environment);
    this.#expressions.set(name, compiled);
    return compiled;
  }

  #typeOf(name: string): CelType | undefined {
    const expression = this.#expressions.get(name);
    if (!expression) return undefined;
    return expression.program ? plainType(expression.program.type) : dynType;
  }
}

export function namedExpression(variable: JsonObject): { readonly name: string; readonly expression: string } {
  return { name: textIn(variable, 'name'), expression: textIn(variable, 'expression') };
}

const scalars: ReadonlySet<string> = new Set('any bool bytes double duration int null string timestamp uint'.split(' '));

/** Scalars, lists and maps keep their types; objects and opaque types become dyn. */
function plainType(type: CelType): CelType {
  if (scalars.has(type.kind)) return type;
  if (type.kind !== 'list' && type.kind !== 'map') return dynType;
  return { ...type, params: type.params.map(plainType) };
}

/** The value of `variables`: each field is evaluated when it is first read. */
export class LazyVariables extends CelMap {
  override readonly type: CelType;
  readonly #expressions: ReadonlyMap<string, AdmissionExpression>;
  readonly #evaluate: (expression: AdmissionExpression) => CelValue;
  readonly #values = new Map<string, CelValue>();

  constructor({ expressions, type }: Composition, evaluate: (expression: AdmissionExpression) => CelValue) {
    super();
    this.type = type;
    this.#expressions = expressions;
    this.#evaluate = evaluate;
  }

  get size(): number {
    return this.#expressions.size;
  }

  keys(): readonly CelValue[] {
    return [...this.#expressions.keys()];
  }

  find(key: CelValue): CelValue | undefined {
    if (typeof key !== 'string') return noSuchOverload;
    const name = unescapeName(key);
    if (name === undefined) return undefined;
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const expression = this.#expressions.get(name);
    if (!expression) return undefined;
    const value = this.#valueOf(name, expression);
    this.#values.set(name, value);
    return value;
  }

  #valueOf(name: string, expression: AdmissionExpression): CelValue {
    if (expression.error !== undefined)
      return new CelError(`composited variable ${goQuote(name)} fails to compile: ${expression.error}`);
    const value = this.#evaluate(expression);
    if (!(value instanceof CelError)) return value;
    return new CelError(`composited variable ${goQuote(name)} fails to evaluate: ${value.message}`);
  }
}
