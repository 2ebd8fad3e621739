import { plainColumns, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  FieldErrors,
  type JsonObject,
  labelSelectorOf,
  objectIn,
  objectsIn,
  path,
  validateLabelSelector,
} from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { rbacGroup, rbacName, validatePolicyRule } from './rules/policy-rule.ts';

const v1: ServedVersion = {
  group: rbacGroup,
  version: 'v1',
  schema: schemaOf('rbac.v1.ClusterRole'),
  columns: plainColumns,
};

export const clusterRole: Resource = {
  names: { plural: 'clusterroles', singular: 'clusterrole', kind: 'ClusterRole', listKind: 'ClusterRoleList' },
  scope: 'Cluster',
  storagePrefix: '/registry/clusterroles',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    validateName: rbacName,
    allowCreateOnUpdate: true,
    validateCreate: (object, errors) => validate(object, errors, false),
    validateUpdate: (object, old, errors) => validate(object, errors, hasInvalidSelector(old)),
  },
};

const selectorsPath = path('aggregationRule', 'clusterRoleSelectors');

function validate(object: JsonObject, errors: FieldErrors, allowInvalidValues: boolean): void {
  for (const [i, rule] of objectsIn(object, 'rules').entries()) validatePolicyRule(rule, false, path('rules').index(i), errors);
  const aggregation = objectIn(object, 'aggregationRule');
  if (aggregation) validateAggregation(aggregation, errors, allowInvalidValues);
}

function validateAggregation(aggregation: JsonObject, errors: FieldErrors, allowInvalidValues: boolean): void {
  const selectors = objectsIn(aggregation, 'clusterRoleSelectors');
  if (selectors.length === 0)
    errors.required(selectorsPath, 'at least one clusterRoleSelector required if aggregationRule is non-nil');
  for (const [i, selector] of selectors.entries()) {
    const at = selectorsPath.index(i);
    validateLabelSelector(selector, at, errors, { allowInvalidValues });
    if (!isUsable(selector)) errors.invalid(at, null, 'invalid label selector.');
  }
}

function isUsable(selector: JsonObject): boolean {
  try {
    labelSelectorOf(selector);
    return true;
  } catch {
    return false;
  }
}

function hasInvalidSelector(object: JsonObject): boolean {
  const errors = new FieldErrors();
  for (const selector of objectsIn(objectIn(object, 'aggregationRule'), 'clusterRoleSelectors'))
    validateLabelSelector(selector, selectorsPath, errors);
  return errors.length > 0;
}

const roleV1: ServedVersion = {
  group: rbacGroup,
  version: 'v1',
  schema: schemaOf('rbac.v1.Role'),
  columns: plainColumns,
};

export const role: Resource = {
  names: { plural: 'roles', singular: 'role', kind: 'Role', listKind: 'RoleList' },
  scope: 'Namespaced',
  storagePrefix: '/registry/roles',
  hub: roleV1,
  versions: [roleV1],
  verbs: storedVerbs,
  strategy: {
    validateName: rbacName,
    allowCreateOnUpdate: true,
    validateCreate: validateRole,
    validateUpdate: (object, _old, errors) => validateRole(object, errors),
  },
};

function validateRole(object: JsonObject, errors: FieldErrors): void {
  for (const [i, rule] of objectsIn(object, 'rules').entries()) validatePolicyRule(rule, true, path('rules').index(i), errors);
}
