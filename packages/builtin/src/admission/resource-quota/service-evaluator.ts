import type { AdmissionAttributes } from '@tsukube/apiserver';
import { type JsonObject, numberIn, objectsIn } from '@tsukube/machinery';
import { specOf } from '../../common/objects.ts';
import type { Evaluator } from './evaluator.ts';
import { oneQuantity, quantityOf, type ResourceList } from './resource-list.ts';

const names = ['count/services', 'services', 'services.nodeports', 'services.loadbalancers'];

export const serviceEvaluator: Evaluator = {
  group: '',
  resource: 'services',
  // The type can change.
  handles: ({ subresource }: AdmissionAttributes) => subresource === '',
  matchingResources: (given) => given.filter((name) => names.includes(name)),
  measure: (service) => ({ usage: serviceUsage(specOf(service)) }),
  isCount: false,
  isStable: () => true,
};

function serviceUsage(spec: JsonObject): ResourceList {
  return new Map([
    ['count/services', oneQuantity],
    ['services', oneQuantity],
    ['services.nodeports', quantityOf(nodePorts(spec))],
    ['services.loadbalancers', quantityOf(spec.type === 'LoadBalancer' ? 1 : 0)],
  ]);
}

/** Node ports are counted before they are allocated: one for each port, unless allocation is disabled. */
function nodePorts(spec: JsonObject): number {
  const ports = objectsIn(spec, 'ports');
  if (spec.type === 'NodePort') return ports.length;
  if (spec.type !== 'LoadBalancer') return 0;
  if (spec.allocateLoadBalancerNodePorts !== false) return ports.length;
  return ports.filter((port) => numberIn(port, 'nodePort') !== 0).length;
}
