import type { JsonObject } from '@tsukube/machinery';
import { textsIn } from '../../core/pod-spec/members.ts';

/** What a role allows, complete: an absent list is an empty one. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** None: every object. */
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

export function policyRuleOf(rule: JsonObject): PolicyRule {
  return {
    verbs: textsIn(rule, 'verbs'),
    apiGroups: textsIn(rule, 'apiGroups'),
    resources: textsIn(rule, 'resources'),
    resourceNames: textsIn(rule, 'resourceNames'),
    nonResourceURLs: textsIn(rule, 'nonResourceURLs'),
  };
}

/** As it is stored: without what it does not say. */
export function storedRule({ verbs, ...lists }: PolicyRule): JsonObject {
  const said = Object.entries(lists).filter(([, list]) => list.length > 0);
  return { verbs: [...verbs], ...Object.fromEntries(said.map(([field, list]) => [field, [...list]])) };
}
