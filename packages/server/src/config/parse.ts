import { readFileSync } from 'node:fs';
import { completeOptions } from './complete.ts';
import { BadValue, type Flag, flagName, variableName } from './flags/flag.ts';
import { flags } from './flags/flags.ts';
import type { GivenOptions, OptionName, ServeOptions } from './flags/options.ts';
import { suggestion, UsageError } from './flags/usage-error.ts';

/**
 * The settings of `tsukube serve`. Precedence: command line, environment, configuration file (--config), default. Returns 'help'
 * or 'version' for these flags. Throws UsageError.
 */
export async function parseServeOptions(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ServeOptions | 'help' | 'version'> {
  const commandLine = readCommandLine(argv);
  if (commandLine.help) return 'help';
  if (commandLine.version) return 'version';
  const path = commandLine.config ?? env.TSUKUBE_CONFIG;
  const file = path ? await fromFile(path) : new Map();
  const given = merged([file, fromEnvironment(env), commandLine.source]);
  return completeOptions({ dataDir: '.tsukube', ...valuesOf(given) });
}

function merged(sources: readonly OptionSource[]): OptionSource {
  return new Map(sources.flatMap((source) => [...source]));
}

function valuesOf(source: OptionSource): GivenOptions {
  return Object.fromEntries([...source].map(([option, given]) => [option, parsed(option, given)]));
}

function parsed(option: OptionName, { place, texts }: Given): unknown {
  const flag = flags[option] as Flag<unknown>;
  try {
    return flag.parse(texts);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    const shown = flag.accumulates ? texts.join() : texts.at(-1);
    throw new UsageError(`${place}: ${JSON.stringify(shown)} ${error.message}`);
  }
}

interface CommandLine {
  readonly source: OptionSource;
  readonly help: boolean;
  readonly version: boolean;
  readonly config: string | undefined;
}

/** Parses `--flag value`, `--flag=value`, `--switch`, `--switch=false` and `-v2`, like pflag. */
function readCommandLine(argv: readonly string[]): CommandLine {
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

/** kube-apiserver also accepts a version to report; that is rejected. */
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
    const { name, inline } = split(argv[at] ?? '');
    const place = `--${name}`;
    if (inline !== undefined) yield { name, place, text: inline };
    else if (isSwitch(name) || name === 'help' || name === 'version') yield { name, place, text: 'true' };
    else yield { name, place, text: valueAfter(name, argv[++at]) };
  }
}

/** pflag takes the next word as the value, even if it starts with a dash. */
function valueAfter(name: string, next: string | undefined): string {
  if (next !== undefined) return next;
  // Reports an unknown flag before a missing value.
  if (!(ownFlags as readonly string[]).includes(name)) settingNamed(name, `--${name}`);
  throw new UsageError(`--${name} needs a value`);
}

function split(word: string): { name: string; inline: string | undefined } {
  const [, long, inline] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
  // Like kube-apiserver, treats underscores as dashes.
  if (long !== undefined) return { name: long.replaceAll('_', '-'), inline };
  const [, short, value] = /^-([a-zA-Z])(?:=?(.+))?$/s.exec(word) ?? [];
  if (short === undefined) throw new UsageError(`unexpected argument ${JSON.stringify(word)}`);
  return { name: longName(short), inline: value };
}

function longName(letter: string): string {
  if (letter === 'h') return 'help';
  const named = Object.entries(flags).find(([, flag]) => flag.short === letter);
  if (named === undefined) throw new UsageError(`unknown flag -${letter}`);
  return named[0];
}

/** The texts of a setting in one source, with the source's name for messages. */
export interface Given {
  readonly place: string;
  readonly texts: readonly string[];
}

export type OptionSource = ReadonlyMap<OptionName, Given>;

/** Flags that are not settings. */
const ownFlags = ['config', 'help', 'version'] as const;

const optionByFlag = new Map(Object.keys(flags).map((option) => [flagName(option), option as OptionName]));

/** The setting of a flag name. */
function settingNamed(name: string, place: string): OptionName {
  const option = optionByFlag.get(name);
  if (option === undefined) throw unknown(name, place);
  return option;
}

export function isSwitch(name: string): boolean {
  const option = optionByFlag.get(name);
  return option !== undefined && (flags[option] as Flag<unknown>).isSwitch === true;
}

function unknown(name: string, place: string): UsageError {
  const near = suggestion(name, [...optionByFlag.keys(), ...ownFlags]);
  return new UsageError(`unknown flag ${place}${near === undefined ? '' : `, did you mean --${near}?`}`);
}

/**
 * Reads the environment. Unknown variables are ignored, because Kubernetes sets TSUKUBE_PORT and others in pods if there is a
 * Service named tsukube.
 */
function fromEnvironment(env: NodeJS.ProcessEnv): OptionSource {
  const source = new Map<OptionName, Given>();
  for (const option of optionByFlag.values()) {
    const place = variableName(option);
    const text = env[place];
    if (text !== undefined && text !== '') source.set(option, { place, texts: [text] });
  }
  return source;
}

/** Reads a YAML file that maps flag names to values, lists or maps. */
async function fromFile(path: string): Promise<OptionSource> {
  const content = await readYaml(path);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new UsageError(`--config: ${path} must contain a map of flag names and values`);
  }
  const source = new Map<OptionName, Given>();
  for (const [name, value] of Object.entries(content)) {
    const place = `${path}: ${name}`;
    const texts = textsOf(value, place);
    const option = settingNamed(name, place);
    if (typeof value === 'object' && !(flags[option] as Flag<unknown>).accumulates)
      throw new UsageError(`${place} takes one value`);
    source.set(option, { place, texts });
  }
  return source;
}

async function readYaml(path: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    return parse(readFileSync(path, 'utf8'), { version: '1.1', maxAliasCount: 100 }) ?? {};
  } catch (error) {
    throw new UsageError(`--config: cannot read ${path}: ${(error as Error).message.split('\n')[0]}`);
  }
}

function textsOf(value: unknown, place: string): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => textsOf(item, place));
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return [String(value)];
  if (typeof value !== 'object' || value === null) throw new UsageError(`${place} has no value`);
  return Object.entries(value).map(([name, setting]) => `${name}=${textsOf(setting, place).join()}`);
}
