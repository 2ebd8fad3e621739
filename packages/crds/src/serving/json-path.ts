import { deepEqual, getKey, isObject, type JsonValue } from '@tsukube/machinery';

/** The value does not have the structure that the path requires. */
export class PathMismatch extends Error {
  override readonly name = 'PathMismatch';
}

/** Limit of visited values: recursive descent and unions multiply them. */
const maxVisits = 10_000;

/** All values at a path; empty where keys are missing. Throws PathMismatch. */
export function findAll(value: JsonValue, steps: readonly JsonPathStep[]): readonly JsonValue[] {
  return new Search().find(value, steps);
}

/** One evaluation of a path; counts the visited values. */
class Search {
  #visits = 0;

  find(value: JsonValue, steps: readonly JsonPathStep[]): readonly JsonValue[] {
    let found: readonly JsonValue[] = [value];
    for (const step of steps) found = this.#follow(found, step);
    return found;
  }

  #follow(values: readonly JsonValue[], step: JsonPathStep): readonly JsonValue[] {
    this.#count(values.length);
    switch (step.is) {
      case 'field':
        return values.flatMap((value) => fieldOf(value, step.name));
      case 'wildcard':
        return values.flatMap((value) => this.#counted(childrenOf(value)));
      case 'recursive':
        return values.flatMap((value) => this.#descendants(value, []));
      case 'literal':
        return values.map(() => step.value);
      case 'union':
        return step.paths.flatMap((path) => values.flatMap((value) => this.find(value, path)));
      case 'slice':
        return values.flatMap((value) => (value === null ? [] : this.#counted(sliceOf(listOf(value), step))));
      case 'filter':
        return values.flatMap((value) => this.#counted(listOf(value)).filter((item) => this.#passes(item, step)));
    }
  }

  #counted(values: readonly JsonValue[]): readonly JsonValue[] {
    this.#count(values.length);
    return values;
  }

  #count(visits: number): void {
    this.#visits += visits;
    if (this.#visits > maxVisits) throw new PathMismatch('too many results');
  }

  #descendants(value: JsonValue, found: JsonValue[]): JsonValue[] {
    const children = this.#counted(childrenOf(value));
    if (children.length === 0) return found;
    found.push(value);
    for (const child of children) this.#descendants(child, found);
    return found;
  }

  #passes(item: JsonValue, { left, operator, right }: JsonPathStep & { is: 'filter' }): boolean {
    const lefts = this.find(item, left);
    if (operator === 'exists') return lefts.length > 0;
    const rights = this.find(item, right);
    if (lefts.length === 0 || rights.length === 0) return false;
    if (lefts.length > 1 || rights.length > 1) throw new PathMismatch('can only compare one element at a time');
    return compare(lefts[0] as JsonValue, operator, rights[0] as JsonValue);
  }
}

/** In an array of its own, since the field may hold a list. */
function fieldOf(value: JsonValue, name: string): JsonValue[] {
  const found = isObject(value) ? getKey(value, name) : undefined;
  return found === undefined ? [] : [found];
}

function childrenOf(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? Object.values(value) : [];
}

function listOf(value: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new PathMismatch('not array or slice');
  return value;
}

function sliceOf(
  list: readonly JsonValue[],
  { from = 0, to, step, single }: JsonPathStep & { is: 'slice' },
): readonly JsonValue[] {
  const { length } = list;
  const start = from < 0 ? from + length : from;
  const end = single ? start + 1 : to === undefined ? length : to < 0 ? to + length : to;
  if (start === end) return [];
  if (start >= length || start < 0 || end > length || end < 0 || start > end || step <= 0)
    throw new PathMismatch(`array index out of bounds: index ${start}, length ${length}`);
  return list.slice(start, end).filter((_, i) => i % step === 0);
}

function compare(left: JsonValue, operator: string, right: JsonValue): boolean {
  if (operator === '==') return deepEqual(left, right);
  if (operator === '!=') return !deepEqual(left, right);
  if (typeof left !== typeof right || left === null || right === null || typeof left === 'object')
    throw new PathMismatch('incompatible types for comparison');
  if (operator === '<') return left < right;
  if (operator === '<=') return left <= right;
  if (operator === '>') return left > right;
  if (operator === '>=') return left >= right;
  throw new PathMismatch(`unrecognized filter operator ${operator}`);
}

/** The path is not valid JSONPath. */
export class PathSyntaxError extends Error {
  override readonly name = 'PathSyntaxError';
}

type Reader = readonly [
  pattern: RegExp,
  read: (match: RegExpExecArray, before: readonly JsonPathStep[]) => readonly JsonPathStep[],
];

/** Tried in order; the first matching pattern parses the next step. */
const readers: readonly Reader[] = [
  // regex: bounded by maxLength.
  [/\[\?\(((?:[^"')]|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')*)\)\]/y, ([, text = '']) => [filterStep(text)]],
  [/\.\.([A-Za-z0-9_](?:\\.|[^\s.,[\]$@{}\\])*)?/y, ([, name], before) => recursiveSteps(name, before)],
  // regex: bounded by maxLength.
  [/\[([^\]\n]*)\]/y, ([, text = '']) => bracketSteps(text)],
  [/\.((?:\\.|[^\s.,[\]$@{}\\])*)/y, ([, name = '']) => [fieldStep(name)]],
  // regex: bounded by maxLength.
  [/"((?:\\.|[^"\\\n])*)"|'((?:\\.|[^'\\\n])*)'/y, ([, double, single]) => [literal(unescaped(double ?? single ?? ''))]],
  [/[+-]?\d[\d.]*/y, ([text]) => [literal(Number(text))]],
  [/true|false/y, ([text]) => [literal(text === 'true')]],
  [/[ @$]/y, () => []],
];

const dictionaryKey = /^'([^']*)'$/;
const slice = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const comparison = /^([^!<>=]+)([!<>=]+)([^!<>=].*)$/;
const maxLength = 4096;

/** Parses the JSONPath of a column, such as `.spec.items[0].name`. Throws PathSyntaxError. */
export function parsePath(text: string): readonly JsonPathStep[] {
  if (text.length > maxLength) throw new PathSyntaxError('the path is too long');
  const steps: JsonPathStep[] = [];
  let at = 0;
  while (at < text.length) at = readStep(text, at, steps);
  return steps;
}

function readStep(text: string, at: number, steps: JsonPathStep[]): number {
  for (const [pattern, read] of readers) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) continue;
    steps.push(...read(match, steps));
    return at + match[0].length;
  }
  throw new PathSyntaxError(`unrecognized character in action: ${text.charAt(at)}`);
}

function literal(value: JsonValue): JsonPathStep {
  return { is: 'literal', value };
}

function recursiveSteps(name: string | undefined, before: readonly JsonPathStep[]): readonly JsonPathStep[] {
  if (before.at(-1)?.is === 'recursive') throw new PathSyntaxError('invalid multiple recursive descent');
  return name === undefined ? [{ is: 'recursive' }] : [{ is: 'recursive' }, fieldStep(name)];
}

function fieldStep(name: string): JsonPathStep {
  return name === '*' ? { is: 'wildcard' } : { is: 'field', name: name.replaceAll('\\', '') };
}

function bracketSteps(text: string): readonly JsonPathStep[] {
  const parts = text.split(',');
  if (parts.length > 1) return [{ is: 'union', paths: parts.map((part) => bracketSteps(part.trim())) }];
  const key = dictionaryKey.exec(text)?.[1];
  if (key !== undefined) return parsePath(`.${key}`);
  const [whole, from = '', to, step] = slice.exec(text === '*' ? ':' : text) ?? [];
  if (whole === undefined) throw new PathSyntaxError(`invalid array index ${text}`);
  const single = to === undefined;
  return [{ is: 'slice', from: numberIn(from), to: numberIn(to?.slice(1)), step: numberIn(step?.slice(1)) ?? 1, single }];
}

function numberIn(text: string | undefined): number | undefined {
  return text === undefined || text === '' || text === '-' ? undefined : Number(text);
}

function filterStep(text: string): JsonPathStep {
  const [, left, operator = '', right = ''] = comparison.exec(text) ?? [];
  if (left === undefined) return { is: 'filter', left: parsePath(text), operator: 'exists', right: [] };
  return { is: 'filter', left: parsePath(left), operator, right: parsePath(right) };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}

/** One step of a path: maps values to values. */
export type JsonPathStep =
  | { readonly is: 'field'; readonly name: string }
  | { readonly is: 'wildcard' }
  | { readonly is: 'recursive' }
  | {
      readonly is: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number;
      readonly single: boolean;
    }
  | { readonly is: 'union'; readonly paths: readonly (readonly JsonPathStep[])[] }
  | {
      readonly is: 'filter';
      readonly left: readonly JsonPathStep[];
      readonly operator: string;
      readonly right: readonly JsonPathStep[];
    }
  | { readonly is: 'literal'; readonly value: JsonValue };
