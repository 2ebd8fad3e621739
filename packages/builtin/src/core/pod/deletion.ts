import type { DeletionPlan, DeletionRequest } from '@tsukube/apiserver';
import { type JsonObject, numberIn, objectIn, textIn } from '@tsukube/machinery';

/** A pod that runs is given the time it asked for to end by itself. */
export function beginPodDeletion(pod: JsonObject, request: DeletionRequest): DeletionPlan {
  const metadata = pod.metadata as JsonObject;
  if (metadata.deletionTimestamp !== undefined) return continueDeletion(metadata, request);
  return { kind: 'graceful', seconds: graceOf(pod, request) };
}

/** The time that is left can only become shorter. */
function continueDeletion(metadata: JsonObject, { gracePeriodSeconds: asked }: DeletionRequest): DeletionPlan {
  if (numberIn(metadata, 'deletionGracePeriodSeconds') === 0) return { kind: 'now' };
  if (asked === undefined || asked >= numberIn(metadata, 'deletionGracePeriodSeconds')) return { kind: 'waiting' };
  return { kind: 'graceful', seconds: asked };
}

function graceOf(pod: JsonObject, { gracePeriodSeconds: asked }: DeletionRequest): number {
  const spec = objectIn(pod, 'spec');
  const phase = textIn(objectIn(pod, 'status'), 'phase');
  if (textIn(spec, 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
  const seconds = asked ?? numberIn(spec, 'terminationGracePeriodSeconds');
  return seconds < 0 ? 1 : seconds;
}
