import { isDNS1123Label, type JsonObject } from '@tsukube/machinery';
import { metadataOf } from '../columns.ts';

/** A name that pods and their hosts cannot have as it is. */
export function nameWarning(object: JsonObject): readonly string[] {
  const problems = isDNS1123Label(metadataOf(object).name as string);
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}
