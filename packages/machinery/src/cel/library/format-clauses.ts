/** The format or an argument of it is wrong. */
export class FormatError extends Error {
  override readonly name = 'FormatError';
}

export interface Clause {
  readonly verb: 's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'o';
  readonly upper: boolean;
  readonly precision: number | undefined;
}

/** Text, or what to do with the next argument; asking fails with FormatError if the clause is wrong. */
export type FormatPart = string | (() => Clause);

const verbs = 'sdfebxo';

export function* clausesOf(format: string): Generator<FormatPart> {
  let at = 0;
  while (at < format.length) {
    const percent = format.indexOf('%', at);
    if (percent < 0) break;
    if (percent > at) yield format.slice(at, percent);
    if (format[percent + 1] === '%') {
      yield '%';
      at = percent + 2;
      continue;
    }
    if (percent + 1 >= format.length) throw new FormatError('unexpected end of string');
    const { clause, end } = readClause(format, percent + 1);
    yield clause;
    at = end;
  }
  if (at < format.length) yield format.slice(at);
}

function readClause(format: string, start: number): { clause: () => Clause; end: number } {
  const match = /^(?:\.(\d*))?/.exec(format.slice(start, start + 32));
  const end = start + (match?.[0].length ?? 0);
  const verb = format[end];
  return { clause: () => clauseOf(match?.[1], verb), end: end + 1 };
}

function clauseOf(precision: string | undefined, verb: string | undefined): Clause {
  const parsing = 'could not parse formatting clause: ';
  if (verb === undefined)
    throw new FormatError(`${parsing}error while parsing precision: could not find end of precision specifier`);
  if (precision === '') {
    const problem = 'error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax';
    throw new FormatError(`${parsing}error while parsing precision: ${problem}`);
  }
  const lower = verb === 'X' ? 'x' : verb;
  if (!verbs.includes(lower)) throw new FormatError(`${parsing}unrecognized formatting clause "${verb}"`);
  const number = precision === undefined ? undefined : Math.min(Number(precision), 100);
  return { verb: lower as Clause['verb'], upper: verb === 'X', precision: number };
}

const problems: { readonly [verb in Clause['verb']]: string } = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps',
  d: 'decimal clause can only be used on integers',
  f: 'fixed-point clause can only be used on doubles',
  e: 'scientific clause can only be used on doubles',
  b: 'only integers and bools can be formatted as binary',
  x: 'only integers, byte buffers, and strings can be formatted as hex',
  o: 'octal clause can only be used on integers',
};

export function clauseProblem(verb: Clause['verb'], type: string): string {
  return `${problems[verb]}, was given ${type}`;
}
