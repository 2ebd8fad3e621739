import { type AdmissionAttributes, forbiddenByAdmission } from '@tsukube/apiserver';
import { compareQuantities, metadataOf, type Quantity, StatusError } from '@tsukube/machinery';
import type { LimitedResource } from './configuration.ts';
import type { Evaluator, ObjectUsage } from './evaluator.ts';
import type { QuotaState } from './quota-state.ts';
import { addTo, describeList, describeNames, increases, isPositive, masked, type ResourceList } from './resource-list.ts';
import { describeRequirement, isInScope, type ScopeRequirement } from './scopes.ts';

/** A quota that a request counts against, and the resources of it that the request may use. */
interface Restriction {
  readonly quota: QuotaState;
  readonly names: readonly string[];
}

/**
 * Checks a write against the quotas of its namespace. Returns the new usage of the quotas that it changes, by name. Throws the
 * StatusError of a write that does not fit.
 */
export function checkRequest(
  attributes: AdmissionAttributes,
  evaluator: Evaluator,
  quotas: readonly QuotaState[],
  limited: readonly LimitedResource[],
): ReadonlyMap<string, ResourceList> {
  const { object } = attributes;
  if (!object) return unchanged;
  const measured = evaluator.measure(object);
  const needs = limited.length === 0 ? nothingNeeded : neededCoverage(evaluator, measured, limited);
  if (!needs) return unchanged;
  const restrictions = quotas.flatMap((quota) => restrictionBy(attributes, evaluator, quota, measured));
  if (restrictions.length === 0 && needs === nothingNeeded) return unchanged;
  const negative = [...measured.usage].filter(([, amount]) => amount.mantissa < 0n).map(([name]) => name);
  if (negative.length > 0)
    throw forbiddenByAdmission(attributes, `quota usage is negative for resource(s): ${describeNames(negative)}`);
  const increaseOf = usageIncrease(attributes, evaluator, measured);
  const increased = restrictions.filter(({ quota }) => increaseOf(quota).size > 0);
  if (restrictions.length > 0 ? increased.length === 0 : increaseOf(undefined).size === 0) return unchanged;
  requireCoverage(attributes, needs, quotas, restrictions, measured);
  return new Map(increased.map(({ quota }) => [quota.name, chargedUsage(attributes, quota, increaseOf(quota))]));
}

const unchanged: ReadonlyMap<string, ResourceList> = new Map();

function matchesScopes({ facts }: ObjectUsage, requirements: readonly ScopeRequirement[]): boolean {
  return requirements.every((requirement) => facts !== undefined && isInScope(requirement, facts));
}

function restrictionBy(
  attributes: AdmissionAttributes,
  evaluator: Evaluator,
  quota: QuotaState,
  measured: ObjectUsage,
): Restriction[] {
  const isInScopes = withScopesOf(quota, () => matchesScopes(measured, quota.scopes));
  const names = evaluator.matchingResources(quota.names);
  if (names.length === 0 || !isInScopes) return [];
  const problem = attributes.object && evaluator.constraints?.(names, attributes.object);
  if (problem !== undefined) throw forbiddenByAdmission(attributes, `failed quota: ${quota.name}: ${problem}`);
  if (names.some((name) => !quota.used.has(name)))
    throw forbiddenByAdmission(attributes, `status unknown for quota: ${quota.name}, resources: ${describeNames(names)}`);
  return [{ quota, names }];
}

function withScopesOf<T>({ name }: QuotaState, match: () => T): T {
  try {
    return match();
  } catch (error) {
    throw unknownError(`error matching scopes of quota ${name}, err: ${(error as Error).message}`);
  }
}

/** The Status of an error that is not one: a 500 without reason. */
function unknownError(message: string): StatusError {
  return new StatusError({ status: 'Failure', message, code: 500 });
}

/** The usage that a write adds to a quota, or to none. An object that moves into the scope of a quota adds all of its usage. */
function usageIncrease(
  attributes: AdmissionAttributes,
  evaluator: Evaluator,
  measured: ObjectUsage,
): (quota: QuotaState | undefined) => ResourceList {
  const { operation, oldObject } = attributes;
  const all = masked(measured.usage, (_, amount) => isPositive(amount));
  if (operation === 'CREATE' || !oldObject || metadataOf(oldObject).resourceVersion === undefined) return () => all;
  const before = evaluator.measure(oldObject);
  const added = increases(measured.usage, before.usage);
  return (quota) => (quota && !withScopesOf(quota, () => matchesScopes(before, quota.scopes)) ? all : added);
}

/** The usage of the quota after the write. A change of status is never refused. */
function chargedUsage(attributes: AdmissionAttributes, quota: QuotaState, increase: ResourceList): ResourceList {
  const { name, hard, used } = quota;
  const requested = masked(increase, (resource) => hard.has(resource));
  const total = new Map(used);
  addTo(total, requested);
  if (attributes.subresource === 'status') return total;
  const exceeded = masked(
    requested,
    (resource) => compareQuantities(total.get(resource) as Quantity, hard.get(resource) as Quantity) > 0,
  );
  if (exceeded.size === 0) return total;
  const only = (list: ResourceList) => describeList(masked(list, (resource) => exceeded.has(resource)));
  const reason = `exceeded quota: ${name}, requested: ${only(requested)}, used: ${only(used)}, limited: ${only(hard)}`;
  throw forbiddenByAdmission(attributes, reason);
}

/** The resources and scopes that limited resources demand a quota for. */
interface NeededCoverage {
  readonly names: readonly string[];
  readonly scopes: readonly ScopeRequirement[];
}

const nothingNeeded: NeededCoverage = { names: [], scopes: [] };

/** Undefined if a configured scope cannot be evaluated. Like Kubernetes, admission then ignores quotas. */
function neededCoverage(
  evaluator: Evaluator,
  { usage, facts }: ObjectUsage,
  limited: readonly LimitedResource[],
): NeededCoverage | undefined {
  const own = limited.filter(({ group, resource }) => group === evaluator.group && resource === evaluator.resource);
  const names = [...usage]
    .filter(([name, amount]) => isPositive(amount) && own.some((rule) => rule.matchContains.some((part) => name.includes(part))))
    .map(([name]) => name);
  try {
    const scopes = facts ? limited.flatMap(({ matchScopes }) => matchScopes.filter((scope) => isInScope(scope, facts))) : [];
    return names.length + scopes.length === 0 ? nothingNeeded : { names, scopes };
  } catch {
    return undefined;
  }
}

function requireCoverage(
  attributes: AdmissionAttributes,
  needs: NeededCoverage,
  quotas: readonly QuotaState[],
  restrictions: readonly Restriction[],
  { facts }: ObjectUsage,
): void {
  if (needs === nothingNeeded) return;
  const covered = new Set(restrictions.flatMap(({ names }) => names));
  const uncovered = needs.names.filter((name) => !covered.has(name));
  if (uncovered.length > 0)
    throw forbiddenByAdmission(attributes, `insufficient quota to consume: ${describeNames(new Set(uncovered))}`);
  const matched = quotas.flatMap((quota) =>
    quota.scopes.filter((scope) => facts !== undefined && withScopesOf(quota, () => isInScope(scope, facts))),
  );
  const missing = needs.scopes.filter(({ scope }) => !matched.some((own) => own.scope === scope));
  if (missing.length > 0)
    throw unknownError(`insufficient quota to match these scopes: [${missing.map(describeRequirement).join(' ')}]`);
}
