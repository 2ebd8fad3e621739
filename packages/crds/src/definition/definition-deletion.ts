import type { DeletionPlan } from '@tsukube/apiserver';
import { ensureObject, formatTime, type JsonObject, metadataOf, objectsIn, textsIn } from '@tsukube/machinery';

const cleanup = 'customresourcecleanup.apiextensions.k8s.io';

/** The objects of a definition go first: until they have, it is held and says so. */
export function beginDefinitionDeletion(object: JsonObject): DeletionPlan {
  const metadata = metadataOf(object);
  if (metadata.deletionTimestamp !== undefined) return { kind: 'now' };
  const now = formatTime(Date.now());
  metadata.deletionTimestamp = now;
  const finalizers = textsIn(metadata, 'finalizers');
  if (!finalizers.includes(cleanup)) metadata.finalizers = [...finalizers, cleanup];
  markTerminating(object, now);
  return { kind: 'marked' };
}

function markTerminating(object: JsonObject, now: string): void {
  const status = ensureObject(object, 'status');
  const others = objectsIn(status, 'conditions').filter(({ type }) => type !== 'Terminating');
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: now,
    reason: 'InstanceDeletionPending',
    message: 'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
  };
  status.conditions = [...others, terminating];
}
