import {
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  objectIn,
  objectsIn,
  textIn,
  validateLabelSelector,
} from '@tsukube/machinery';
import { defaultRules, validateNamedRule } from './rules.ts';

const matchPolicies = ['Equivalent', 'Exact'];
const ruleLists = ['resourceRules', 'excludeResourceRules'];

/** What webhooks and policies match by besides their rules. */
export function defaultMatching(owner: JsonObject): void {
  owner.matchPolicy ??= 'Equivalent';
  owner.namespaceSelector ??= {};
  owner.objectSelector ??= {};
}

export function defaultMatchResources(match: JsonObject | undefined): void {
  if (!match) return;
  defaultMatching(match);
  for (const list of ruleLists) defaultRules(match, list);
}

export function validateMatchResources(match: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  if (!match) return;
  const policy = textIn(match, 'matchPolicy');
  if (!matchPolicies.includes(policy)) errors.notSupported(at.child('matchPolicy'), policy, matchPolicies);
  for (const field of ['namespaceSelector', 'objectSelector'])
    validateLabelSelector(objectIn(match, field), at.child(field), errors);
  for (const list of ruleLists)
    for (const [i, rule] of objectsIn(match, list).entries()) validateNamedRule(rule, at.child(list).index(i), errors);
}
