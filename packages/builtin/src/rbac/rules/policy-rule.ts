import { type JsonObject, textsIn } from '@tsukube/machinery';

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
export function storedRule({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): JsonObject {
  const rule: JsonObject = { verbs: [...verbs] };
  if (apiGroups.length > 0) rule.apiGroups = [...apiGroups];
  if (resources.length > 0) rule.resources = [...resources];
  if (resourceNames.length > 0) rule.resourceNames = [...resourceNames];
  if (nonResourceURLs.length > 0) rule.nonResourceURLs = [...nonResourceURLs];
  return rule;
}
