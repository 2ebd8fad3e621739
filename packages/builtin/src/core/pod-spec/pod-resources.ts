import {
  compareQuantities,
  type FieldErrors,
  type FieldPath,
  formatQuantity,
  type JsonObject,
  mapIn,
  objectIn,
  objectsIn,
  parseQuantity,
} from '@tsukube/machinery';
import { isHugePages, podResourceName, validateRequirements } from '../container/resource-requirements.ts';
import { aggregateResources } from './aggregate-resources.ts';

/** Resources of the pod as a whole must have room for those of its containers. */
export function validatePodResources(spec: JsonObject, claims: ReadonlySet<string>, at: FieldPath, errors: FieldErrors): void {
  const resources = objectIn(spec, 'resources');
  if (!resources) return;
  if (objectIn(spec, 'os')?.name === 'windows') {
    errors.forbidden(at, 'may not be set for a windows pod');
    return;
  }
  if (resources.claims !== undefined) errors.forbidden(at.child('claims'), 'claims may not be set for Resources at pod-level');
  validateRequirements(resources, podResourceName, claims, at, errors);
  compareAggregate(spec, resources, 'requests', () => true, at, errors);
  compareAggregate(spec, resources, 'limits', isHugePages, at, errors);
  compareLimits(spec, mapIn(resources, 'limits'), at, errors);
}

function compareAggregate(
  spec: JsonObject,
  resources: JsonObject,
  list: 'requests' | 'limits',
  counts: (name: string) => boolean,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const ofPod = mapIn(resources, list);
  for (const [name, sum] of aggregateResources(spec, list)) {
    const amount = ofPod[name];
    if (amount === undefined || !counts(name) || compareQuantities(sum, parseQuantity(amount)) <= 0) continue;
    const message = `must be greater than or equal to aggregate container ${list} of ${formatQuantity(sum)}`;
    errors.invalid(at.child(list).key(name), amount, message);
  }
}

function compareLimits(spec: JsonObject, ofPod: Readonly<Record<string, string>>, at: FieldPath, errors: FieldErrors): void {
  for (const [i, container] of objectsIn(spec, 'containers').entries()) {
    for (const [name, limit] of Object.entries(mapIn(objectIn(container, 'resources'), 'limits'))) {
      const most = ofPod[name];
      if (most === undefined || compareQuantities(parseQuantity(limit), parseQuantity(most)) <= 0) continue;
      const here = at.child('containers').index(i).key(name).child('limits');
      errors.invalid(here, limit, `must be less than or equal to pod limits of ${most}`);
    }
  }
}
