import { type FieldErrors, type FieldPath, type JsonObject, textsIn } from '@tsukube/machinery';

/** Namespaced roles cannot speak of paths: those belong to no namespace. */
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
