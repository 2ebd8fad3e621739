import { compareVersions } from '@tsukube/apiserver';
import type { DefinedVersion, Definition } from '../definition/definition.ts';

/** What clients of a deprecated version are told: what the definition says, or which version to use instead. */
export function deprecationWarning({ group, versions, names }: Definition, defined: DefinedVersion): string | undefined {
  if (!defined.deprecated) return undefined;
  if (defined.deprecationWarning !== undefined) return defined.deprecationWarning;
  const better = versions
    .filter(({ name, served, deprecated }) => served && !deprecated && compareVersions(name, defined.name) < 0)
    .map(({ name }) => name)
    .sort(compareVersions)[0];
  const warning = `${group}/${defined.name} ${names.kind} is deprecated`;
  return better === undefined ? warning : `${warning}; use ${group}/${better} ${names.kind}`;
}
