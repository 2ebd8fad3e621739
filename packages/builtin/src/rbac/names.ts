import { isValidPathSegmentName, type JsonObject, type NameValidator } from '@tsukube/machinery';

export const rbacGroup = 'rbac.authorization.k8s.io';

/** Names of roles are only ever part of a path: system:node is one. */
export const rbacName: NameValidator = (name) => isValidPathSegmentName(name);

/** Kubernetes stores no difference between no rules and none. */
export function forgetEmptyRules(object: JsonObject): void {
  if (Array.isArray(object.rules) && object.rules.length === 0) object.rules = null;
}
