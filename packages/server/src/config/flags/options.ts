import type { Flag } from './flag.ts';
import { flags } from './flags.ts';

type Flags = typeof flags;
type ValueOf<F> = F extends Flag<infer T> ? T : never;

export type OptionName = keyof Flags;

/** Options as given: flag names in camel case, durations in milliseconds. */
export type GivenOptions = { readonly [K in OptionName]?: ValueOf<Flags[K]> };

/** Complete options, with defaults applied. */
export type ServeOptions = { readonly [K in OptionName]: ValueOf<Flags[K]> } & {
  readonly storage: 'lmdb' | 'memory' | 'etcd' | 'postgres' | 'mysql';
  readonly advertiseAddress: string;
  readonly clientKeyAlgorithm: 'rsa' | 'ecdsa';
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
};

/** The type of an option's value, for validation in plain JavaScript and for type declarations. */
export interface OptionType {
  readonly name: OptionName;
  readonly is: 'string' | 'number' | 'boolean' | 'strings' | 'booleans by name' | 'strings by name';
  /** Allowed values, if limited. */
  readonly of?: readonly string[];
  /** The number is a duration. */
  readonly milliseconds: boolean;
  readonly help: string;
}

export function optionTypes(): readonly OptionType[] {
  return (Object.entries(flags) as [OptionName, Flag<unknown>][]).map(([name, flag]) => ({
    name,
    is: typeOf(flag),
    of: flag.of,
    milliseconds: flag.placeholder === 'DURATION',
    help: flag.help,
  }));
}

/** Why a value of the right type is invalid; completes a sentence that begins with the value. */
export function valueComplaint<K extends OptionName>(name: K, value: GivenOptions[K]): string | undefined {
  return (flags[name] as Flag<unknown>).check?.(value);
}

function typeOf(flag: Flag<unknown>): OptionType['is'] {
  if (flag.isSwitch) return 'boolean';
  if (Array.isArray(flag.fallback)) return 'strings';
  if (flag.accumulates) return flag.placeholder?.startsWith('NAME=') ? 'booleans by name' : 'strings by name';
  return typeof flag.fallback === 'number' || flag.placeholder === 'DURATION' ? 'number' : 'string';
}
