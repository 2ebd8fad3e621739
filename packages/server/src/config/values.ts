import { isDeepStrictEqual } from 'node:util';
import { formatDuration } from './flags/duration.ts';
import { type Flag, flagName } from './flags/flag.ts';
import { flags } from './flags/flags.ts';
import type { ServeOptions } from './flags/options.ts';

/** All flags with their current values, as text. */
export function flagsAndValues(options: ServeOptions): readonly (readonly [string, string])[] {
  return (Object.entries(flags) as [keyof ServeOptions, Flag<unknown>][])
    .map(([option, flag]) => [flagName(option), written(options[option], flag)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function written(value: unknown, { placeholder, isSecret }: Flag<unknown>): string {
  if (value === undefined) return '';
  if (isSecret) return '[REDACTED]';
  if (Array.isArray(value)) return `[${value.join(',')}]`;
  if (placeholder === 'DURATION') return formatDuration(value as number);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}=${each}`)
    .join(',');
}

export interface FlagSupport {
  readonly flag: string;
  readonly support: 'works' | 'accepted without effect' | 'refused';
  /** Why the flag is not supported. */
  readonly reason: string;
}

/** Support of each kube-apiserver flag: works, accepted without effect, or refused. */
export function kubeApiserverFlags(): readonly FlagSupport[] {
  return (Object.entries(flags) as [string, Flag<unknown>][])
    .filter(([, { origin }]) => origin === undefined)
    .map(([option, flag]) => ({ flag: `--${flagName(option)}`, ...supportOf(flag) }))
    .sort((a, b) => (a.flag < b.flag ? -1 : 1));
}

function supportOf({ group, help }: Flag<unknown>): Omit<FlagSupport, 'flag'> {
  if (group === 'Accepted without effect') return { support: 'accepted without effect', reason: help };
  return group === 'Refused' ? { support: 'refused', reason: help } : { support: 'works', reason: '' };
}

/** Names that this server implements. */
export interface Existing {
  readonly controllers: readonly string[];
  readonly admissionPlugins: readonly string[];
}

/** Flags that were set but have no effect. */
export function flagsWithoutEffect(options: ServeOptions, existing: Existing): readonly string[] {
  const ignored = (Object.entries(flags) as [keyof ServeOptions, Flag<unknown>][])
    .filter(
      ([option, { group, fallback }]) => group === 'Accepted without effect' && !isDeepStrictEqual(options[option], fallback),
    )
    .map(([option]) => `--${flagName(option)}`);
  const { controllers, enableAdmissionPlugins, admissionControl } = options;
  const named = controllers.filter((entry) => entry !== '*' && !entry.startsWith('-'));
  return [
    ...ignored,
    ...missing('controllers', named, existing.controllers),
    ...missing('enable-admission-plugins', enableAdmissionPlugins, existing.admissionPlugins),
    ...missing('admission-control', admissionControl, existing.admissionPlugins),
  ];
}

function missing(flag: string, wanted: readonly string[], existing: readonly string[]): readonly string[] {
  const absent = wanted.filter((name) => !existing.includes(name));
  return absent.length === 0 ? [] : [`--${flag}=${absent.join(',')}`];
}
