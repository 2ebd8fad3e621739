import {
  compareQuantities,
  type FieldErrors,
  type FieldPath,
  formatQuantity,
  isQualifiedName,
  type JsonObject,
  mapIn,
  objectIn,
  objectsIn,
  parseQuantity,
  quantityValue,
  textIn,
  zeroQuantity,
} from '@tsukube/machinery';
import { notNegative, report, validateDNSLabel } from '../../common/field-validation.ts';

const computeResources = new Set(['cpu', 'memory']);
const containerResources = new Set(['cpu', 'memory', 'ephemeral-storage']);
const countedResources = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);
const knownResources = new Set([
  ...containerResources,
  ...countedResources,
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'requests.storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'storage',
]);

/** Validates a resource name of a resource list. */
type ResourceNameRule = (name: string, at: FieldPath, errors: FieldErrors) => void;

export function isHugePages(name: string): boolean {
  return name.startsWith('hugepages-');
}

/** Names without a domain, or in the kubernetes.io domain. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

export function isExtendedResource(name: string): boolean {
  if (isNativeResource(name) || name.startsWith('requests.')) return false;
  return isQualifiedName(`requests.${name}`).length === 0;
}

export function isOvercommitAllowed(name: string): boolean {
  return isNativeResource(name) && !isHugePages(name);
}

/** True if the name is a qualified name or a standard resource. */
export function validateResourceName(name: string, at: FieldPath, errors: FieldErrors): boolean {
  const messages = isQualifiedName(name);
  report(messages, at, name, errors);
  if (messages.length > 0) return false;
  const known = name.includes('/') || knownResources.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');
  if (!known) errors.invalid(at, name, 'must be a standard resource type or fully qualified');
  return known;
}

export const containerResourceName: ResourceNameRule = (name, at, errors) => {
  validateResourceName(name, at, errors);
  if (!name.includes('/')) {
    if (!containerResources.has(name) && !isHugePages(name))
      errors.invalid(at, name, 'must be a standard resource for containers');
  } else if (!isNativeResource(name) && !isExtendedResource(name)) {
    errors.invalid(at, name, "doesn't follow extended resource name standard");
  }
};

export const podResourceName: ResourceNameRule = (name, at, errors) => {
  if (!validateResourceName(name, at, errors)) return;
  if (!computeResources.has(name) && !isHugePages(name)) errors.notSupported(at, name, ['cpu', 'hugepages-', 'memory']);
};

/** Rejects negative quantities, and fractions of integer resources. */
export function validateResourceQuantity(name: string, text: string, at: FieldPath, errors: FieldErrors): void {
  const quantity = parseQuantity(text);
  if (compareQuantities(quantity, zeroQuantity) < 0) errors.invalid(at, text, notNegative);
  const counted = countedResources.has(name) || isExtendedResource(name);
  if (counted && quantityValue(quantity, -3) % 1000n !== 0n) errors.invalid(at, text, 'must be an integer');
}

/** Validates limits, requests and claims. `claims` are the claim names of the pod. */
export function validateRequirements(
  requirements: JsonObject,
  validateName: ResourceNameRule,
  claims: ReadonlySet<string>,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const limits = mapIn(requirements, 'limits');
  const requests = mapIn(requirements, 'requests');
  for (const [name, amount] of Object.entries(limits))
    validateAmount(name, amount, validateName, at.child('limits').key(name), errors);
  for (const [name, amount] of Object.entries(requests)) {
    const here = at.child('requests').key(name);
    validateName(name, here, errors);
    validateResourceQuantity(name, amount, here, errors);
    compareWithLimit(name, amount, Object.hasOwn(limits, name) ? limits[name] : undefined, at, errors);
    validateHugePages(name, amount, here, errors);
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => computeResources.has(name)))
    errors.forbidden(at, 'HugePages require cpu or memory');
  validateClaimNames(objectsIn(requirements, 'claims'), claims, at.child('claims'), errors);
}

function validateAmount(name: string, amount: string, validateName: ResourceNameRule, at: FieldPath, errors: FieldErrors): void {
  validateName(name, at, errors);
  validateResourceQuantity(name, amount, at, errors);
  validateHugePages(name, amount, at, errors);
}

function compareWithLimit(name: string, request: string, limit: string | undefined, at: FieldPath, errors: FieldErrors): void {
  const overcommit = isOvercommitAllowed(name);
  if (limit === undefined) {
    if (!overcommit) errors.required(at.child('limits'), 'Limit must be set for non overcommitable resources');
    return;
  }
  const order = compareQuantities(parseQuantity(request), parseQuantity(limit));
  if (order !== 0 && !overcommit) errors.invalid(at.child('requests'), request, `must be equal to ${name} limit of ${limit}`);
  else if (order > 0) errors.invalid(at.child('requests'), request, `must be less than or equal to ${name} limit of ${limit}`);
}

function validateHugePages(name: string, amount: string, at: FieldPath, errors: FieldErrors): void {
  if (isHugePages(name) && !isWholePages(name, amount))
    errors.invalid(at, amount, `${amount} is not positive integer multiple of ${name}`);
}

function isWholePages(name: string, amount: string): boolean {
  try {
    const page = parseQuantity(name.slice('hugepages-'.length));
    if (page.mantissa <= 0n || quantityValue(page, -3) % 1000n !== 0n) return false;
    return quantityValue(parseQuantity(amount)) % quantityValue(page) === 0n;
  } catch {
    return false;
  }
}

function validateClaimNames(claims: readonly JsonObject[], known: ReadonlySet<string>, at: FieldPath, errors: FieldErrors): void {
  const seen = new SeenClaims();
  const missing = claims.some((claim) => !known.has(textIn(claim, 'name'))) ? claimMissing(known) : '';
  for (const [i, claim] of claims.entries()) {
    const here = at.index(i);
    const name = textIn(claim, 'name');
    if (name === '') {
      errors.required(here);
      continue;
    }
    validateClaimIsNew(claim, name, seen, here, errors);
    if (!known.has(name)) errors.notFound(here, name, missing);
  }
}

/** Claims that a container refers to, whole or by request. */
class SeenClaims {
  readonly #keys = new Set<string>();
  readonly #requests = new Map<string, number>();

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Number of requests of a claim that the container refers to. */
  requestsOf(name: string): number {
    return this.#requests.get(name) ?? 0;
  }

  add(name: string, request: string): void {
    this.#keys.add(request === '' ? name : `${name}/${request}`);
    if (request !== '') this.#requests.set(name, this.requestsOf(name) + 1);
  }
}

function validateClaimIsNew(claim: JsonObject, name: string, seen: SeenClaims, at: FieldPath, errors: FieldErrors): void {
  if (seen.has(name)) {
    errors.duplicate(at, name);
    return;
  }
  const request = textIn(claim, 'request');
  if (request !== '') validateDNSLabel(request, at.child('request'), errors);
  const key = request === '' ? name : `${name}/${request}`;
  if (seen.has(key)) errors.duplicate(at, key);
  else if (request === '') for (let i = 0; i < seen.requestsOf(name); i++) errors.duplicate(at, name);
  seen.add(name, request);
}

function claimMissing(known: ReadonlySet<string>): string {
  const names = known.size === 0 ? ' which is empty' : `: ${[...known].sort().join(', ')}`;
  return `must be one of the names in pod.spec.resourceClaims${names}`;
}

const milli = -3;

/** Rounds quantities up to milli-units. */
export function roundResources(list: JsonObject | undefined): void {
  if (list === undefined) return;
  for (const name of Object.keys(list)) {
    const quantity = parseQuantity(textIn(list, name));
    if (quantity.exponent >= milli) continue;
    list[name] = formatQuantity({ mantissa: quantityValue(quantity, milli), exponent: milli, format: quantity.format });
  }
}

/** Rounds limits and requests. */
export function roundRequirements(resources: JsonObject | undefined): void {
  roundResources(objectIn(resources, 'limits'));
  roundResources(objectIn(resources, 'requests'));
}
