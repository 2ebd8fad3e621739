import {
  formatQuantity,
  type JsonObject,
  mapIn,
  objectIn,
  objectsIn,
  parseQuantity,
  type Quantity,
  quantityValue,
  textIn,
  zeroQuantity,
} from '@tsukube/machinery';
import { effectiveResources } from '../../core/pod-spec/pod-resources.ts';

type Amounts = ReadonlyMap<string, Quantity>;

/** A bound of one resource, and the requests and limits it applies to. */
interface Constraint {
  /** Container, Pod or PersistentVolumeClaim. */
  readonly type: string;
  readonly name: string;
  readonly bound: Quantity;
  readonly requests: Amounts;
  readonly limits: Amounts;
}

type Check = (constraint: Constraint) => string | undefined;

const podChecks: Readonly<Record<string, Check>> = { min: minimum, max: maximum, maxLimitRequestRatio: ratio };
/** Limits of a claim are ignored. */
const claimChecks: Readonly<Record<string, Check>> = { min: minimum, max: maximumRequest };
const noAmounts: Amounts = new Map();

/** The bounds of a LimitRange that a pod violates. */
export function podProblems(spec: JsonObject, limits: readonly JsonObject[]): readonly string[] {
  return limits.flatMap((limit) => {
    if (limit.type === 'Pod')
      return problemsOf(limit, podChecks, effectiveResources(spec, 'requests'), effectiveResources(spec, 'limits'));
    if (limit.type !== 'Container') return [];
    return [...objectsIn(spec, 'containers'), ...objectsIn(spec, 'initContainers')].flatMap((container) => {
      const resources = objectIn(container, 'resources');
      return problemsOf(limit, podChecks, amountsIn(resources, 'requests'), amountsIn(resources, 'limits'));
    });
  });
}

/** The bounds of a LimitRange that a PersistentVolumeClaim violates. */
export function claimProblems(spec: JsonObject, limits: readonly JsonObject[]): readonly string[] {
  const requests = amountsIn(objectIn(spec, 'resources'), 'requests');
  const ofClaims = limits.filter(({ type }) => type === 'PersistentVolumeClaim');
  return ofClaims.flatMap((limit) => problemsOf(limit, claimChecks, requests, noAmounts));
}

function problemsOf(limit: JsonObject, checks: Readonly<Record<string, Check>>, requests: Amounts, limits: Amounts): string[] {
  const type = textIn(limit, 'type');
  return Object.entries(checks).flatMap(([field, check]) =>
    [...amountsIn(limit, field)].flatMap(([name, bound]) => check({ type, name, bound, requests, limits }) ?? []),
  );
}

function amountsIn(owner: JsonObject | undefined, field: string): Amounts {
  const amounts = Object.entries(mapIn(owner, field));
  return amounts.length === 0 ? noAmounts : new Map(amounts.map(([name, text]) => [name, parseQuantity(text)]));
}

const maxMilliValue = (2n ** 63n - 1n) / 1000n;

/** The amounts in thousandths, or in units if one of them is too large for that. */
function comparable(amounts: readonly Quantity[]): readonly bigint[] {
  const values = amounts.map((amount) => quantityValue(amount));
  return values.every((value) => value <= maxMilliValue) ? amounts.map((amount) => quantityValue(amount, -3)) : values;
}

function valuesOf({ name, bound, requests, limits }: Constraint): Record<'request' | 'limit' | 'enforced', bigint> {
  const all = comparable([requests.get(name) ?? zeroQuantity, limits.get(name) ?? zeroQuantity, bound]);
  const [request, limit, enforced] = all as [bigint, bigint, bigint];
  return { request, limit, enforced };
}

function shown(amounts: Amounts, name: string): string {
  return formatQuantity(amounts.get(name) ?? zeroQuantity);
}

function minimum(constraint: Constraint): string | undefined {
  const { type, name, bound, requests, limits } = constraint;
  const { request, limit, enforced } = valuesOf(constraint);
  const usage = `minimum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  if (!requests.has(name)) return `${usage}.  No request is specified`;
  if (request < enforced) return `${usage}, but request is ${shown(requests, name)}`;
  if (limits.has(name) && limit < enforced) return `${usage}, but limit is ${shown(limits, name)}`;
  return undefined;
}

function maximum(constraint: Constraint): string | undefined {
  const { type, name, bound, requests, limits } = constraint;
  const { request, limit, enforced } = valuesOf(constraint);
  const usage = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  if (!limits.has(name)) return `${usage}.  No limit is specified`;
  if (limit > enforced) return `${usage}, but limit is ${shown(limits, name)}`;
  if (requests.has(name) && request > enforced) return `${usage}, but request is ${shown(requests, name)}`;
  return undefined;
}

function maximumRequest(constraint: Constraint): string | undefined {
  const { type, name, bound, requests } = constraint;
  const { request, enforced } = valuesOf(constraint);
  const usage = `maximum ${name} usage per ${type} is ${formatQuantity(bound)}`;
  if (!requests.has(name)) return `${usage}.  No request is specified`;
  return request > enforced ? `${usage}, but request is ${shown(requests, name)}` : undefined;
}

function ratio(constraint: Constraint): string | undefined {
  const { type, name, bound, requests, limits } = constraint;
  const { request, limit } = valuesOf(constraint);
  const rule = `${name} max limit to request ratio per ${type} is ${formatQuantity(bound)}`;
  if (!requests.has(name) || request === 0n) return `${rule}, but no request is specified or request is 0`;
  if (!limits.has(name) || limit === 0n) return `${rule}, but no limit is specified or limit is 0`;
  const observed = Number(limit) / Number(request);
  const exact = quantityValue(bound) <= maxMilliValue;
  const allowed = exact ? Number(quantityValue(bound, -3)) : Number(quantityValue(bound));
  if ((exact ? observed * 1000 : observed) <= allowed) return undefined;
  return `${rule}, but provided ratio is ${observed.toFixed(6)}`;
}
