import { isDeepStrictEqual } from 'node:util';
import { formatDuration } from './duration.ts';
import { type Flag, flagName } from './flag.ts';
import { flags } from './flags.ts';
import type { ServeOptions } from './options.ts';

/** Every flag by name, with the value it has now as it would be written. */
export function flagsAndValues(options: ServeOptions): readonly (readonly [string, string])[] {
  return (Object.entries(flags) as [keyof ServeOptions, Flag<unknown>][])
    .map(([option, flag]) => [flagName(option), written(options[option], flag)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function written(value: unknown, { placeholder }: Flag<unknown>): string {
  if (value === undefined) return '';
  if (Array.isArray(value)) return `[${value.join(',')}]`;
  if (placeholder === 'DURATION') return formatDuration(value as number);
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([name, each]) => `${name}=${each}`)
    .join(',');
}

/** The flags that were set to something and change nothing, as they are written. */
export function flagsWithoutEffect(options: ServeOptions): readonly string[] {
  return (Object.entries(flags) as [keyof ServeOptions, Flag<unknown>][])
    .filter(
      ([option, { group, fallback }]) => group === 'Accepted without effect' && !isDeepStrictEqual(options[option], fallback),
    )
    .map(([option]) => `--${flagName(option)}`);
}
