import { isValidPathSegmentName, type NameValidator } from '@tsukube/machinery';

export const rbacGroup = 'rbac.authorization.k8s.io';

/** Names of roles are only ever part of a path: system:node is one. */
export const rbacName: NameValidator = (name) => isValidPathSegmentName(name);
