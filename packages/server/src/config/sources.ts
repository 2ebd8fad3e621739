import { readFileSync } from 'node:fs';
import { type Flag, flagName, variableName } from './flag.ts';
import { flags } from './flags.ts';
import type { OptionName } from './options.ts';
import { suggestion } from './suggestion.ts';
import { UsageError } from './usage-error.ts';

/** The texts that a source gives for one setting, and how to name the place in a message. */
export interface Given {
  readonly place: string;
  readonly texts: readonly string[];
}

export type Source = ReadonlyMap<OptionName, Given>;

/** Flags that steer the reading itself. */
export const ownFlags = ['config', 'help', 'version'] as const;

const optionByFlag = new Map(Object.keys(flags).map((option) => [flagName(option), option as OptionName]));

/** The setting behind the name of a flag. */
export function settingNamed(name: string, place: string): OptionName {
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
 * What the environment says. Variables that name no setting are left alone: Kubernetes itself sets TSUKUBE_PORT and the
 * like in every pod beside a service named tsukube.
 */
export function fromEnvironment(env: NodeJS.ProcessEnv): Source {
  const source = new Map<OptionName, Given>();
  for (const option of optionByFlag.values()) {
    const place = variableName(option);
    const text = env[place];
    if (text !== undefined && text !== '') source.set(option, { place, texts: [text] });
  }
  return source;
}

/** What a YAML file says: a map from flag names to values, lists and maps where a flag takes several. */
export async function fromFile(path: string): Promise<Source> {
  const content = await readYaml(path);
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new UsageError(`--config: ${path} must hold a map of flag names and values`);
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
