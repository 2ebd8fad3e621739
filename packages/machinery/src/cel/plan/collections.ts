import { listCreation, mapCreation, structCreation } from '../cost/factors.ts';
import type { CelType } from '../types/type.ts';
import { formatPlain } from '../values/convert.ts';
import { HashMap } from '../values/hash-map.ts';
import { typeOfValue } from '../values/type-of.ts';
import { ArrayList, CelError, CelMap, CelOptional, type CelValue } from '../values/value.ts';
import type { Eval } from './evaluation.ts';

interface PlannedEntry {
  readonly key: Eval;
  readonly value: Eval;
  readonly optional: boolean;
}

export function listEval(elements: readonly Eval[], optionals: ReadonlySet<number>): Eval {
  return (evaluation) => {
    const items: CelValue[] = [];
    let problem: CelValue | undefined;
    for (let i = 0; i < elements.length && problem === undefined; i++) {
      const value = (elements[i] as Eval)(evaluation);
      if (value instanceof CelError) problem = value;
      else if (!optionals.has(i)) items.push(value);
      else if (!(value instanceof CelOptional)) problem = notOptional('list element', value);
      else if (value.value !== undefined) items.push(value.value);
    }
    evaluation.charge(listCreation);
    return problem ?? new ArrayList(items);
  };
}

function notOptional(what: string, value: CelValue): CelError {
  return new CelError(`cannot initialize optional ${what} from non-optional value ${formatPlain(value)}`);
}

export function mapEval(entries: readonly PlannedEntry[]): Eval {
  return (evaluation) => {
    const map = new HashMap();
    let problem: CelValue | undefined;
    for (const entry of entries) {
      problem = setEntry(map, entry.key(evaluation), () => entry.value(evaluation), entry.optional);
      if (problem !== undefined) break;
    }
    evaluation.charge(mapCreation);
    return problem ?? map;
  };
}

function setEntry(map: HashMap, key: CelValue, read: () => CelValue, optional: boolean): CelError | undefined {
  if (key instanceof CelError) return key;
  const value = read();
  if (value instanceof CelError) return value;
  if (!optional) return map.set(key, value) ? undefined : unsupportedKey(key);
  if (!(value instanceof CelOptional)) return notOptional(`entry '${formatPlain(key)}'`, value);
  if (value.value === undefined) map.delete(key);
  else map.set(key, value.value);
  return undefined;
}

function unsupportedKey(key: CelValue): CelError {
  return new CelError(`unsupported key type: ${typeOfValue(key).name}`);
}

/** Constructs an object of a declared type. */
export function structEval(entries: readonly PlannedEntry[], make: (fields: HashMap) => CelValue): Eval {
  return (evaluation) => {
    const fields = new HashMap();
    let problem: CelValue | undefined;
    for (const entry of entries) {
      problem = setEntry(fields, entry.key(evaluation), () => entry.value(evaluation), entry.optional);
      if (problem !== undefined) break;
    }
    evaluation.charge(structCreation);
    return problem ?? make(fields);
  };
}

/** An object constructed by an expression: a map with a type. */
export class StructMap extends CelMap {
  override readonly type: CelType;
  readonly #fields: HashMap;

  constructor(type: CelType, fields: HashMap) {
    super();
    this.type = type;
    this.#fields = fields;
  }

  get size(): number {
    return this.#fields.size;
  }

  find(key: CelValue): CelValue | undefined {
    return this.#fields.find(key);
  }

  keys(): readonly CelValue[] {
    return this.#fields.keys();
  }
}
