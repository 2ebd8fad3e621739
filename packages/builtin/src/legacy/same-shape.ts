import type { ServedVersion } from '@tsukube/apiserver';
import { type LegacyVersion, legacyVersion } from './legacy-version.ts';

/** A kind that differs from its hub in nothing but the version, and perhaps in what may be written with it. */
export function sameShape(
  type: string,
  group: string,
  deprecated: number,
  removed: number,
  more: Pick<LegacyVersion, 'replacement' | 'keeps'> = {},
): readonly ServedVersion[] {
  const [name, , kind] = type.split('.');
  const replacement = `${group}/v1 ${kind}`;
  return [legacyVersion({ group, type, hub: `${name}.v1.${kind}`, deprecated, removed, replacement, ...more })];
}
