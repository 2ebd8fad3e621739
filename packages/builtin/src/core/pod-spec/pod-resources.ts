import {
  addQuantities,
  compareQuantities,
  type FieldErrors,
  type FieldPath,
  formatQuantity,
  type JsonObject,
  mapIn,
  nameIsDNSSubdomain,
  objectIn,
  objectsIn,
  parseQuantity,
  path,
  type Quantity,
  textIn,
} from '@tsukube/machinery';
import { report, validateDNSLabel } from '../../common/field-validation.ts';
import { internalForm } from '../../common/internal-types.ts';
import { isHugePages, podResourceName, validateRequirements } from '../container/resource-requirements.ts';

/** Pod-level requests and limits must cover those of the containers. */
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

type Amounts = Map<string, Quantity>;

/**
 * Effective requests or limits of a pod: the larger of all containers and sidecars together, and of each init container
 * with the sidecars started before it.
 */
export function aggregateResources(spec: JsonObject, list: 'requests' | 'limits'): ReadonlyMap<string, Quantity> {
  const total: Amounts = new Map();
  for (const container of objectsIn(spec, 'containers')) addAll(total, amountsOf(container, list));
  const sidecars: Amounts = new Map();
  const peak: Amounts = new Map();
  for (const container of objectsIn(spec, 'initContainers')) {
    const own = amountsOf(container, list);
    if (container.restartPolicy === 'Always') {
      addAll(total, own);
      addAll(sidecars, own);
      keepLarger(peak, sidecars);
    } else {
      addAll(own, sidecars);
      keepLarger(peak, own);
    }
  }
  keepLarger(total, peak);
  return total;
}

const podLevelResources = ['cpu', 'memory'];

/** Effective requests or limits of a pod, where those of the pod itself override the sums of its containers. */
export function effectiveResources(spec: JsonObject, list: 'requests' | 'limits'): ReadonlyMap<string, Quantity> {
  const total = new Map(aggregateResources(spec, list));
  const ofPod = mapIn(objectIn(spec, 'resources'), list);
  for (const name of podLevelResources) {
    const amount = ofPod[name];
    if (amount !== undefined) total.set(name, parseQuantity(amount));
  }
  return total;
}

function amountsOf(container: JsonObject, list: string): Amounts {
  const amounts = Object.entries(mapIn(objectIn(container, 'resources'), list));
  return new Map(amounts.map(([name, text]) => [name, parseQuantity(text)]));
}

function addAll(to: Amounts, amounts: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of amounts) {
    const known = to.get(name);
    to.set(name, known === undefined ? amount : addQuantities(known, amount));
  }
}

function keepLarger(to: Amounts, amounts: ReadonlyMap<string, Quantity>): void {
  for (const [name, amount] of amounts) {
    const known = to.get(name);
    if (known === undefined || compareQuantities(amount, known) > 0) to.set(name, amount);
  }
}

/** Validates spec.resourceClaims. Returns the claim names that containers may refer to. */
export function validateResourceClaims(
  spec: JsonObject,
  pod: JsonObject | undefined,
  at: FieldPath,
  errors: FieldErrors,
): ReadonlySet<string> {
  const names = new Set<string>();
  const isMirror = Object.hasOwn(mapIn(pod, 'annotations'), 'kubernetes.io/config.mirror');
  for (const [i, claim] of objectsIn(spec, 'resourceClaims').entries()) {
    const here = at.index(i);
    const name = textIn(claim, 'name');
    if (isMirror) errors.forbidden(path(''), 'static pods do not support resource claims');
    else if (name === '') errors.required(here.child('name'));
    else if (names.has(name)) errors.duplicate(here.child('name'), name);
    else validateDNSLabel(name, here.child('name'), errors);
    if (name !== '') names.add(name);
    if (!isMirror) validateClaimSource(claim, here, errors);
  }
  return names;
}

const sources = ['resourceClaimName', 'resourceClaimTemplateName'];

function validateClaimSource(claim: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const given = sources.filter((source) => claim[source] !== undefined);
  if (given.length === 2)
    errors.invalid(
      at,
      internalForm(claim, 'PodResourceClaim'),
      'at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified',
    );
  if (given.length === 0)
    errors.invalid(
      at,
      internalForm(claim, 'PodResourceClaim'),
      'must specify one of: `resourceClaimName`, `resourceClaimTemplateName`',
    );
  for (const source of given) {
    const name = textIn(claim, source);
    report(nameIsDNSSubdomain(name, false), at.child(source), name, errors);
  }
}
