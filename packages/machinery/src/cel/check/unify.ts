import { type CelType, dynType, isDyn, listType, mapType, opaqueType, sameType, typeTypeOf } from '../types/type.ts';

/** Bindings of type parameters found by unification. A failed attempt leaves them unchanged. */
export class Substitutions {
  readonly #known = new Map<string, CelType>();
  #trail: [string, CelType | undefined][] = [];

  get(param: CelType): CelType | undefined {
    return param.kind === 'param' ? this.#known.get(param.name) : undefined;
  }

  set(param: CelType, type: CelType): void {
    this.#trail.push([param.name, this.#known.get(param.name)]);
    this.#known.set(param.name, type);
  }

  /** Whether `from` is assignable to `to`; binds type parameters on the way. */
  assign(from: readonly CelType[], to: readonly CelType[]): boolean {
    this.#trail = [];
    if (assignableAll(this, from, to)) return true;
    for (const [name, before] of this.#trail.reverse()) {
      if (before === undefined) this.#known.delete(name);
      else this.#known.set(name, before);
    }
    return false;
  }

  /** Substitutes type parameters; free ones become dyn if `freeToDyn`. */
  apply(type: CelType, freeToDyn: boolean): CelType {
    const known = this.get(type);
    if (known !== undefined) return this.apply(known, freeToDyn);
    if (type.kind === 'param') return freeToDyn ? dynType : type;
    if (type.params.length === 0) return type;
    const params = type.params.map((param) => this.apply(param, freeToDyn));
    return params.every((param, i) => param === type.params[i]) ? type : withParams(type, params);
  }
}

function withParams(type: CelType, params: readonly CelType[]): CelType {
  const [first = dynType, second = dynType] = params;
  if (type.kind === 'list') return listType(first);
  if (type.kind === 'map') return mapType(first, second);
  return type.kind === 'type' ? typeTypeOf(first) : opaqueType(type.name, ...params);
}

function assignableAll(known: Substitutions, from: readonly CelType[], to: readonly CelType[]): boolean {
  return from.length === to.length && from.every((type, i) => assignable(known, type, to[i] as CelType));
}

function assignable(known: Substitutions, from: CelType, to: CelType): boolean {
  if (to.kind === 'param') {
    const { valid, substituted } = substitute(known, from, to);
    if (valid || substituted) return valid;
  }
  if (from.kind === 'param') return substitute(known, to, from).valid;
  if (isWildcard(from) || isWildcard(to)) return true;
  if (from.kind === 'null') return isNullable(to);
  if (to.kind === 'null') return isNullable(from);
  if (from.kind === 'type') return to.kind === 'type';
  if (from.kind !== to.kind || from.name !== to.name) return false;
  return assignableAll(known, from.params, to.params);
}

function isWildcard(type: CelType): boolean {
  return isDyn(type) || type.kind === 'error';
}

function isNullable({ kind }: CelType): boolean {
  return (
    kind === 'null' || kind === 'opaque' || kind === 'object' || kind === 'any' || kind === 'duration' || kind === 'timestamp'
  );
}

/** Whether the parameter can be bound to the type, and whether it was bound before. */
function substitute(known: Substitutions, type: CelType, param: CelType): { valid: boolean; substituted: boolean } {
  if (type.kind === 'param' && type.name === param.name) return { valid: true, substituted: true };
  const current = known.get(param);
  if (current === undefined) {
    const free = !occurs(known, param, type);
    if (free) known.set(param, type);
    return { valid: free, substituted: false };
  }
  if (sameType(type, current)) return { valid: true, substituted: true };
  if (!assignable(known, type, current)) return { valid: false, substituted: true };
  const general = mostGeneral(type, current);
  if (!occurs(known, param, general)) known.set(param, general);
  return { valid: true, substituted: true };
}

function occurs(known: Substitutions, param: CelType, within: CelType): boolean {
  if (within.kind === 'param') {
    if (within.name === param.name) return true;
    const current = known.get(within);
    return current !== undefined && occurs(known, param, current);
  }
  return within.params.some((each) => occurs(known, param, each));
}

/** The more general of two compatible types. */
export function mostGeneral(a: CelType, b: CelType): CelType {
  return isEqualOrLessSpecific(a, b) ? a : b;
}

function isEqualOrLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'param') return true;
  if (isDyn(b) || b.kind === 'param' || a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, i) => isEqualOrLessSpecific(param, b.params[i] as CelType));
}
