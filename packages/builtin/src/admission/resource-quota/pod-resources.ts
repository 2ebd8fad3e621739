import { addQuantities, type JsonObject, mapIn, objectIn, objectsIn, type Quantity, textIn } from '@tsukube/machinery';
import { specOf, statusOf } from '../../common/objects.ts';
import { isHugePages } from '../../core/container/resource-requirements.ts';
import { addTo, parseResourceList, type ResourceList, raiseTo } from './resource-list.ts';

type Requirement = 'requests' | 'limits';
const nothing: ResourceList = new Map();

/** The requests of a pod as the scheduler counts them: containers, init containers, pod-level resources and overhead. */
export function podRequests(pod: JsonObject): ResourceList {
  const requests = containerTotal(pod, 'requests');
  const ofPod = podLevel(pod, 'requests');
  for (const [name, amount] of ofPod) requests.set(name, amount);
  addTo(requests, parseResourceList(mapIn(specOf(pod), 'overhead')));
  return requests;
}

/** Overhead is added only to resources that are limited. */
export function podLimits(pod: JsonObject): ResourceList {
  const limits = containerTotal(pod, 'limits');
  for (const [name, amount] of podLevel(pod, 'limits')) limits.set(name, amount);
  for (const [name, amount] of parseResourceList(mapIn(specOf(pod), 'overhead'))) {
    const limit = limits.get(name);
    if (limit && limit.mantissa !== 0n) limits.set(name, addQuantities(limit, amount));
  }
  return limits;
}

function isPodLevel(name: string): boolean {
  return name === 'cpu' || name === 'memory' || isHugePages(name);
}

function podLevel(pod: JsonObject, requirement: Requirement): [string, Quantity][] {
  const list = parseResourceList(mapIn(objectIn(specOf(pod), 'resources'), requirement));
  return [...list].filter(([name]) => isPodLevel(name));
}

export function hasPodLevelResources(pod: JsonObject): boolean {
  return podLevel(pod, 'requests').length + podLevel(pod, 'limits').length > 0;
}

/**
 * The containers run together. Init containers run before them, one after the other, beside the restartable ones that were started
 * earlier; those keep running.
 */
function containerTotal(pod: JsonObject, requirement: Requirement): Map<string, Quantity> {
  const spec = specOf(pod);
  const effective = effectiveResources(pod, requirement);
  const total = new Map<string, Quantity>();
  for (const container of objectsIn(spec, 'containers')) addTo(total, effective(container));
  const restartable = new Map<string, Quantity>();
  const initial = new Map<string, Quantity>();
  for (const container of objectsIn(spec, 'initContainers')) {
    if (container.restartPolicy === 'Always') {
      const own = effective(container);
      addTo(total, own);
      addTo(restartable, own);
      raiseTo(initial, restartable);
    } else {
      const own = new Map(specResources(container, requirement));
      addTo(own, restartable);
      raiseTo(initial, own);
    }
  }
  raiseTo(total, initial);
  return total;
}

function specResources(container: JsonObject, requirement: Requirement): ResourceList {
  const resources = objectIn(container, 'resources');
  return resources ? parseResourceList(mapIn(resources, requirement)) : nothing;
}

/** During a resize, the larger of the specified, the allocated and the actual resources. */
function effectiveResources(pod: JsonObject, requirement: Requirement): (container: JsonObject) => ResourceList {
  const status = statusOf(pod);
  const statuses = new Map(
    [...objectsIn(status, 'containerStatuses'), ...objectsIn(status, 'initContainerStatuses')].map((own) => [own.name, own]),
  );
  const isInfeasible = objectsIn(status, 'conditions').find(({ type }) => type === 'PodResizePending')?.reason === 'Infeasible';
  return (container) => {
    const own = statuses.get(textIn(container, 'name'));
    const actual = objectIn(own, 'resources');
    if (!actual) return specResources(container, requirement);
    const result = new Map(isInfeasible ? nothing : specResources(container, requirement));
    raiseTo(result, parseResourceList(mapIn(actual, requirement)));
    if (requirement === 'requests') raiseTo(result, parseResourceList(mapIn(own, 'allocatedResources')));
    return result;
  };
}
