import type { ServedVersion } from '@tsukube/apiserver';
import { legacyVersion } from './legacy-version.ts';

/** A kind that differs from its hub in nothing but the version. */
export function sameShape(
  type: string,
  group: string,
  deprecated: number,
  removed: number,
  advised = true,
): readonly ServedVersion[] {
  const [name, , kind] = type.split('.');
  const replacement = advised ? { replacement: `${group}/v1 ${kind}` } : {};
  return [legacyVersion({ group, type, hub: `${name}.v1.${kind}`, deprecated, removed, ...replacement })];
}
