import { deepEqual, type JsonObject, mapIn, metadataOf, objectIn, objectsIn } from '@tsukube/machinery';
import { uncovered } from '../rules/covers.ts';
import { policyRuleOf, storedRule } from '../rules/policy-rule.ts';
import { autoUpdate } from './policy.ts';

/** The updated object; undefined if it already has everything expected, or opts out of reconciliation. */
export type Reconciled = JsonObject | undefined;

/** Adds missing rules; removes none. */
export function reconciledRole(existing: JsonObject, expected: JsonObject): Reconciled {
  if (isProtected(existing)) return undefined;
  // Aggregated rules are left to the controller.
  const desired = 'aggregationRule' in expected ? [] : rulesOf(expected);
  const missing = uncovered(rulesOf(existing), desired);
  const changed: JsonObject = {
    ...existing,
    metadata: mergedMetadata(existing, expected),
    ...(missing.length > 0 && { rules: [...objectsIn(existing, 'rules'), ...missing.map(storedRule)] }),
    ...aggregation(existing, expected),
  };
  if (!objectIn(expected, 'aggregationRule')) delete changed.aggregationRule;
  return deepEqual(changed, existing) ? undefined : changed;
}

/** Adds missing subjects. A binding to another role is replaced. */
export function reconciledBinding(existing: JsonObject, expected: JsonObject): Reconciled | 'replace' {
  if (isProtected(existing)) return undefined;
  if (!deepEqual(existing.roleRef, expected.roleRef)) return 'replace';
  const subjects = objectsIn(existing, 'subjects');
  const missing = objectsIn(expected, 'subjects').filter((subject) => !subjects.some((own) => deepEqual(own, subject)));
  const changed = {
    ...existing,
    metadata: mergedMetadata(existing, expected),
    ...(missing.length > 0 && { subjects: [...subjects, ...missing] }),
  };
  return deepEqual(changed, existing) ? undefined : changed;
}

function isProtected(existing: JsonObject): boolean {
  return mapIn(objectIn(existing, 'metadata'), 'annotations')[autoUpdate] === 'false';
}

function rulesOf(object: JsonObject) {
  return objectsIn(object, 'rules').map(policyRuleOf);
}

/** Existing labels and annotations win. */
function mergedMetadata(existing: JsonObject, expected: JsonObject): JsonObject {
  const [own, desired] = [metadataOf(existing), metadataOf(expected)];
  const merged = (field: string) => ({ ...mapIn(desired, field), ...mapIn(own, field) });
  return { ...own, labels: merged('labels'), annotations: merged('annotations') };
}

function aggregation(existing: JsonObject, expected: JsonObject): JsonObject {
  const desired = objectIn(expected, 'aggregationRule');
  if (!desired) return {};
  const own = objectsIn(objectIn(existing, 'aggregationRule'), 'clusterRoleSelectors');
  const selectors = objectsIn(desired, 'clusterRoleSelectors');
  const missing = selectors.filter((selector) => !own.some((one) => deepEqual(one, selector)));
  return missing.length === 0 ? {} : { aggregationRule: { clusterRoleSelectors: [...own, ...missing] } };
}
