import type { Scalable, Subresource } from '@tsukube/apiserver';
import { numberIn, objectIn } from '@tsukube/machinery';
import { scaleOfKind } from '../common/scale.ts';
import { selectorIn } from './workload-columns.ts';

const workload: Scalable = {
  replicas: (object) => numberIn(objectIn(object, 'spec'), 'replicas'),
  withReplicas: (object, replicas) => ({ ...object, spec: { ...objectIn(object, 'spec'), replicas } }),
  currentReplicas: (object) => numberIn(objectIn(object, 'status'), 'replicas'),
  selector: (object) => selectorIn(objectIn(object, 'spec'))?.toString() ?? '',
};

/** The scale of a kind that has spec.replicas, spec.selector and status.replicas. */
export const workloadScale: Subresource = scaleOfKind(workload);
