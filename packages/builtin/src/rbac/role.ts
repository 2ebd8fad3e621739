import { plainColumns, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { type FieldErrors, type JsonObject, objectsIn, path } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { rbacGroup, rbacName, validatePolicyRule } from './rules/policy-rule.ts';

const v1: ServedVersion = {
  group: rbacGroup,
  version: 'v1',
  schema: schemaOf('rbac.v1.Role'),
  columns: plainColumns,
};

export const role: Resource = {
  names: { plural: 'roles', singular: 'role', kind: 'Role', listKind: 'RoleList' },
  scope: 'Namespaced',
  storagePrefix: '/registry/roles',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    validateName: rbacName,
    allowCreateOnUpdate: true,
    validateCreate: validate,
    validateUpdate: (object, _old, errors) => validate(object, errors),
  },
};

function validate(object: JsonObject, errors: FieldErrors): void {
  for (const [i, rule] of objectsIn(object, 'rules').entries()) validatePolicyRule(rule, true, path('rules').index(i), errors);
}
