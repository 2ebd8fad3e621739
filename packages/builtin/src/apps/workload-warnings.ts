import { isDNS1123Label, type JsonObject, metadataOf, objectIn, path } from '@tsukube/machinery';
import { podTemplateWarnings } from '../core/pod-spec/index.ts';

/** A name that pods and their hosts cannot have as it is. */
export function nameWarning(object: JsonObject): readonly string[] {
  const problems = isDNS1123Label(metadataOf(object).name as string);
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}

/** Whether an update is worth a comment. */
export function isNewGeneration(object: JsonObject, old: JsonObject | undefined): boolean {
  return old === undefined || metadataOf(object).generation !== metadataOf(old).generation;
}

export function templateWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  if (!isNewGeneration(object, old)) return [];
  return podTemplateWarnings(objectIn(objectIn(object, 'spec'), 'template'), path('spec', 'template'));
}

/** What deployments and replica sets are told. */
export function workloadWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  return [...(old === undefined ? nameWarning(object) : []), ...templateWarnings(object, old)];
}
