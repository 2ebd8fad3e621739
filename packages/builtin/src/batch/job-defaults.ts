import {
  ensureObject,
  type FieldPath,
  fillIn,
  type JsonObject,
  type KubeObject,
  mapIn,
  numberIn,
  objectIn,
  objectsIn,
} from '@tsukube/machinery';
import { sortedMap } from '../common/objects.ts';
import { defaultPodTemplate } from '../core/pod-spec/defaults.ts';
import { podTemplateWarnings } from '../core/pod-spec/warnings.ts';

const maxInt32 = 2 ** 31 - 1;

/** Defaults of a Job. The jobTemplate of a CronJob only gets those of defaultJobTemplate. */
export function defaultJob(object: KubeObject): void {
  const spec = ensureObject(object, 'spec');
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  spec.manualSelector ??= false;
  defaultJobTemplate(spec);
  defaultLabels(object, spec);
  object.status ??= {};
}

/** Defaults of a Job that also apply to the jobTemplate of a CronJob. */
export function defaultJobTemplate(spec: JsonObject): void {
  for (const rule of objectsIn(objectIn(spec, 'podFailurePolicy'), 'rules'))
    for (const pattern of objectsIn(rule, 'onPodConditions')) fillIn(pattern, 'status', 'True');
  defaultPodTemplate(ensureObject(spec, 'template'));
}

/** Labels default to those of the template. Both share one object, so that labels added later appear in both. */
function defaultLabels(object: KubeObject, spec: JsonObject): void {
  const metadata = object.metadata;
  const labels = objectIn(objectIn(objectIn(spec, 'template'), 'metadata'), 'labels');
  if (labels && Object.keys(mapIn(metadata, 'labels')).length === 0) metadata.labels = labels as Record<string, string>;
}

export const uidLabel = 'batch.kubernetes.io/controller-uid';
export const nameLabel = 'batch.kubernetes.io/job-name';
export const legacyUidLabel = 'controller-uid';
export const legacyNameLabel = 'job-name';

/** Adds unique labels to the template and a selector for them. */
export function generateSelector(object: KubeObject): void {
  const { name, uid } = object.metadata as { name: string; uid: string };
  const spec = ensureObject(object, 'spec');
  const templateMetadata = ensureObject(ensureObject(spec, 'template'), 'metadata');
  const shared = templateMetadata.labels !== undefined && object.metadata.labels === templateMetadata.labels;
  addLabels(templateMetadata, 'labels', {
    [uidLabel]: uid,
    [nameLabel]: name,
    [legacyUidLabel]: uid,
    [legacyNameLabel]: name,
  });
  // Jobs without labels get those of the template when they are read from the store.
  const hasNone = Object.keys(mapIn(object.metadata, 'labels')).length === 0;
  if (shared || hasNone) object.metadata.labels = { ...mapIn(templateMetadata, 'labels') };
  addLabels(ensureObject(spec, 'selector'), 'matchLabels', { [uidLabel]: uid });
}

/** Does not overwrite existing labels; validation rejects wrong ones. */
function addLabels(owner: JsonObject, field: string, labels: Readonly<Record<string, string>>): void {
  const all = new Map([...Object.entries(labels), ...Object.entries(mapIn(owner, field))]);
  owner[field] = sortedMap(all);
}

const manyCompletions = 100_000;
const manyParallel = 10_000;

export function jobSpecWarnings(spec: JsonObject | undefined, at: FieldPath): readonly string[] {
  return [...sizeWarnings(spec, at), ...podTemplateWarnings(objectIn(spec, 'template'), at.child('template'))];
}

/** Warns of sizes that the job controller may fail to track. */
function sizeWarnings(spec: JsonObject | undefined, at: FieldPath): readonly string[] {
  const large = numberIn(spec, 'completions') > manyCompletions && numberIn(spec, 'parallelism') > manyParallel;
  if (spec?.completionMode !== 'Indexed' || !large) return [];
  return [
    `${at}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
