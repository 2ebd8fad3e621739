import {
  ensureObject,
  type FieldPath,
  fillIn,
  type JsonObject,
  mapIn,
  metadataOf,
  numberIn,
  objectIn,
  objectsIn,
  setKey,
} from '@tsukube/machinery';
import { defaultPodTemplate } from '../core/pod-spec/defaults.ts';
import { podTemplateWarnings } from '../core/pod-spec/warnings.ts';

const maxInt32 = 2 ** 31 - 1;

/** Fills in what a job leaves out; one within a cron job leaves out more, and gets it when it runs. */
export function defaultJob(object: JsonObject): void {
  const spec = ensureObject(object, 'spec');
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : maxInt32;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? 'TerminatingOrFailed' : 'Failed';
  spec.manualSelector ??= false;
  defaultJobTemplate(spec);
  shareLabels(object, spec);
  object.status ??= {};
}

/** What is filled in even within a cron job. */
export function defaultJobTemplate(spec: JsonObject): void {
  for (const rule of objectsIn(objectIn(spec, 'podFailurePolicy'), 'rules'))
    for (const pattern of objectsIn(rule, 'onPodConditions')) fillIn(pattern, 'status', 'True');
  defaultPodTemplate(ensureObject(spec, 'template'));
}

/** A job without labels has those of its pods: the very same, so that what is added to them is added to both. */
function shareLabels(object: JsonObject, spec: JsonObject): void {
  const metadata = metadataOf(object);
  const labels = objectIn(objectIn(objectIn(spec, 'template'), 'metadata'), 'labels');
  if (labels && Object.keys(mapIn(metadata, 'labels')).length === 0) metadata.labels = labels as Record<string, string>;
}

export const uidLabel = 'batch.kubernetes.io/controller-uid';
export const nameLabel = 'batch.kubernetes.io/job-name';
export const oldUidLabel = 'controller-uid';
export const oldNameLabel = 'job-name';

/** Labels that no other job's pods have, and a selector for them. */
export function generateSelector(object: JsonObject): void {
  const { name, uid } = metadataOf(object) as { name: string; uid: string };
  const spec = ensureObject(object, 'spec');
  const templateMetadata = ensureObject(ensureObject(spec, 'template'), 'metadata');
  const shared = templateMetadata.labels !== undefined && metadataOf(object).labels === templateMetadata.labels;
  addLabels(templateMetadata, 'labels', {
    [uidLabel]: uid,
    [nameLabel]: name,
    [oldUidLabel]: uid,
    [oldNameLabel]: name,
  });
  // Jobs without labels get those of the template when they are read from the store.
  const hasNone = Object.keys(mapIn(metadataOf(object), 'labels')).length === 0;
  if (shared || hasNone) metadataOf(object).labels = { ...mapIn(templateMetadata, 'labels') };
  addLabels(ensureObject(spec, 'selector'), 'matchLabels', { [uidLabel]: uid });
}

/** Those that are there stay as they are, and are refused later if they are wrong. */
function addLabels(owner: JsonObject, field: string, labels: Readonly<Record<string, string>>): void {
  const all = new Map([...Object.entries(labels), ...Object.entries(mapIn(owner, field))]);
  const sorted: JsonObject = {};
  for (const key of [...all.keys()].sort()) setKey(sorted, key, all.get(key) as string);
  owner[field] = sorted;
}

const manyCompletions = 100_000;
const manyParallel = 10_000;

export function jobSpecWarnings(spec: JsonObject | undefined, at: FieldPath): readonly string[] {
  return [...sizeWarnings(spec, at), ...podTemplateWarnings(objectIn(spec, 'template'), at.child('template'))];
}

/** Kubernetes may lose track of a job of this size. */
function sizeWarnings(spec: JsonObject | undefined, at: FieldPath): readonly string[] {
  const large = numberIn(spec, 'completions') > manyCompletions && numberIn(spec, 'parallelism') > manyParallel;
  if (spec?.completionMode !== 'Indexed' || !large) return [];
  return [
    `${at}: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail`,
  ];
}
