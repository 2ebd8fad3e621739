import type { Flag } from './flag.ts';
import type { flags } from './flags.ts';

type Flags = typeof flags;
type ValueOf<F> = F extends Flag<infer T> ? T : never;

export type OptionName = keyof Flags;

/** What may be given: each setting under its name in camel case, durations in milliseconds. */
export type GivenOptions = { readonly [K in OptionName]?: ValueOf<Flags[K]> };

/** What the server runs with: nothing left to guess. */
export type ServeOptions = { readonly [K in OptionName]: ValueOf<Flags[K]> } & {
  readonly storage: 'lmdb' | 'memory' | 'etcd';
  readonly advertiseAddress: string;
  readonly clientKeyAlgorithm: 'rsa' | 'ecdsa';
  readonly logLevel: 'error' | 'warn' | 'info' | 'debug';
};
