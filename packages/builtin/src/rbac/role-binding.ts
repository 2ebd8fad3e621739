import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { schemaOf } from '../common/schema.ts';
import { bindingColumns, bindingStrategy } from './binding.ts';
import { rbacGroup } from './rules/policy-rule.ts';

const v1: ServedVersion = {
  group: rbacGroup,
  version: 'v1',
  schema: schemaOf('rbac.v1.RoleBinding'),
  columns: bindingColumns('RoleBinding'),
};

export const roleBinding: Resource = {
  names: { plural: 'rolebindings', singular: 'rolebinding', kind: 'RoleBinding', listKind: 'RoleBindingList' },
  scope: 'Namespaced',
  storagePrefix: '/registry/rolebindings',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: bindingStrategy({ namespaced: true, roleKinds: ['Role', 'ClusterRole'] }),
};
