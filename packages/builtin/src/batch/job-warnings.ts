import { type FieldPath, type JsonObject, numberIn, objectIn } from '@tsukube/machinery';
import { podTemplateWarnings } from '../core/pod-spec/index.ts';

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
