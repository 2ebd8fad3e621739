import { flags } from './flags.ts';
import type { OptionName } from './options.ts';
import { type Given, isSwitch, ownFlags, type Source, settingNamed } from './sources.ts';
import { UsageError } from './usage-error.ts';

export interface CommandLine {
  readonly source: Source;
  readonly help: boolean;
  readonly version: boolean;
  readonly config: string | undefined;
}

/** Reads `--flag value`, `--flag=value`, `--switch`, `--switch=false`, and `-v2` in the ways that pflag does. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const source = new Map<OptionName, Given>();
  let help = false;
  let version = false;
  let config: string | undefined;
  for (const { name, place, text } of words(argv)) {
    if (name === 'help') help = true;
    else if (name === 'version') version = truth(text);
    else if (name === 'config') config = text;
    else add(source, name, place, text);
  }
  return { source, help, version, config };
}

/** kube-apiserver also takes a version to report instead of its own; that is refused. */
function truth(text: string): boolean {
  if (text === 'true' || text === 'raw') return true;
  if (text === 'false') return false;
  throw new UsageError(`--version: ${JSON.stringify(text)} is not one of true, false, raw`);
}

function add(source: Map<OptionName, Given>, name: string, place: string, text: string): void {
  const option = settingNamed(name, place);
  source.set(option, { place, texts: [...(source.get(option)?.texts ?? []), text] });
}

interface Word {
  readonly name: string;
  readonly place: string;
  readonly text: string;
}

function* words(argv: readonly string[]): Generator<Word> {
  for (let at = 0; at < argv.length; at++) {
    const { name, inline } = split(argv[at] as string);
    const place = `--${name}`;
    if (inline !== undefined) yield { name, place, text: inline };
    else if (isSwitch(name) || name === 'help' || name === 'version') yield { name, place, text: 'true' };
    else yield { name, place, text: valueAfter(name, argv[++at]) };
  }
}

/** pflag takes whatever word follows as the value, even one that starts with a dash. */
function valueAfter(name: string, next: string | undefined): string {
  if (next !== undefined) return next;
  // Of a flag that does not exist the user should hear that, not that its value is missing.
  if (!(ownFlags as readonly string[]).includes(name)) settingNamed(name, `--${name}`);
  throw new UsageError(`--${name} needs a value`);
}

function split(word: string): { name: string; inline: string | undefined } {
  const long = /^--([^=]+)(?:=(.*))?$/s.exec(word);
  // Underscores are dashes to kube-apiserver.
  if (long) return { name: (long[1] as string).replaceAll('_', '-'), inline: long[2] };
  const short = /^-([a-zA-Z])(?:=?(.+))?$/s.exec(word);
  if (!short) throw new UsageError(`unexpected argument ${JSON.stringify(word)}`);
  return { name: longName(short[1] as string), inline: short[2] };
}

function longName(letter: string): string {
  if (letter === 'h') return 'help';
  const named = Object.entries(flags).find(([, flag]) => flag.short === letter);
  if (named === undefined) throw new UsageError(`unknown flag -${letter}`);
  return named[0];
}
