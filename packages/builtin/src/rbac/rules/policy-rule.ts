import {
  type FieldErrors,
  type FieldPath,
  isValidPathSegmentName,
  type JsonObject,
  type NameValidator,
  textsIn,
} from '@tsukube/machinery';

/** A parsed PolicyRule; missing lists are empty. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Empty: every object. */
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

/** In stored form, without empty lists. */
export function storedRule({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): JsonObject {
  const rule: JsonObject = { verbs: [...verbs] };
  if (apiGroups.length > 0) rule.apiGroups = [...apiGroups];
  if (resources.length > 0) rule.resources = [...resources];
  if (resourceNames.length > 0) rule.resourceNames = [...resourceNames];
  if (nonResourceURLs.length > 0) rule.nonResourceURLs = [...nonResourceURLs];
  return rule;
}

export const rbacGroup = 'rbac.authorization.k8s.io';

/** Role names only have to be path segments: system:node is valid. */
export const rbacName: NameValidator = (name) => isValidPathSegmentName(name);

/** Namespaced roles must not have nonResourceURLs. */
export function validatePolicyRule(rule: JsonObject, namespaced: boolean, at: FieldPath, errors: FieldErrors): void {
  if (textsIn(rule, 'verbs').length === 0) errors.required(at.child('verbs'), 'verbs must contain at least one value');
  const paths = textsIn(rule, 'nonResourceURLs');
  if (paths.length > 0) validatePaths(rule, paths, namespaced, at.child('nonResourceURLs'), errors);
  else validateResources(rule, at, errors);
}

function validateResources(rule: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (textsIn(rule, 'apiGroups').length === 0)
    errors.required(at.child('apiGroups'), 'resource rules must supply at least one api group');
  if (textsIn(rule, 'resources').length === 0)
    errors.required(at.child('resources'), 'resource rules must supply at least one resource');
}

function validatePaths(
  rule: JsonObject,
  paths: readonly string[],
  namespaced: boolean,
  at: FieldPath,
  errors: FieldErrors,
): void {
  const shown = [...paths];
  if (namespaced) errors.invalid(at, shown, 'namespaced rules cannot apply to non-resource URLs');
  const namesResources = ['apiGroups', 'resources', 'resourceNames'].some((field) => textsIn(rule, field).length > 0);
  if (namesResources) errors.invalid(at, shown, 'rules cannot apply to both regular resources and non-resource URLs');
}
