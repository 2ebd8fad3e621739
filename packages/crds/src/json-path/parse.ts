import type { JsonValue } from '@tsukube/machinery';
import type { Step } from './step.ts';

/** A path that cannot be read. */
export class PathSyntaxError extends Error {
  override readonly name = 'PathSyntaxError';
}

type Reader = readonly [pattern: RegExp, read: (match: RegExpExecArray, before: readonly Step[]) => readonly Step[]];

/** The first that fits reads on. */
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

/** A path as the columns of definitions have them: `.spec.items[0].name`. Fails with PathSyntaxError. */
export function parsePath(text: string): readonly Step[] {
  if (text.length > maxLength) throw new PathSyntaxError('the path is too long');
  const steps: Step[] = [];
  let at = 0;
  while (at < text.length) at = readStep(text, at, steps);
  return steps;
}

function readStep(text: string, at: number, steps: Step[]): number {
  for (const [pattern, read] of readers) {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (!match) continue;
    steps.push(...read(match, steps));
    return at + match[0].length;
  }
  throw new PathSyntaxError(`unrecognized character in action: ${text.charAt(at)}`);
}

function literal(value: JsonValue): Step {
  return { is: 'literal', value };
}

function recursiveSteps(name: string | undefined, before: readonly Step[]): readonly Step[] {
  if (before.at(-1)?.is === 'recursive') throw new PathSyntaxError('invalid multiple recursive descent');
  return name === undefined ? [{ is: 'recursive' }] : [{ is: 'recursive' }, fieldStep(name)];
}

function fieldStep(name: string): Step {
  return name === '*' ? { is: 'wildcard' } : { is: 'field', name: name.replaceAll('\\', '') };
}

function bracketSteps(text: string): readonly Step[] {
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

function filterStep(text: string): Step {
  const [, left, operator, right] = comparison.exec(text) ?? [];
  if (left === undefined) return { is: 'filter', left: parsePath(text), operator: 'exists', right: [] };
  return { is: 'filter', left: parsePath(left), operator: operator as string, right: parsePath(right as string) };
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, '$1');
}
