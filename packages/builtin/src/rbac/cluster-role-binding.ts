import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { schemaOf } from '../common/schema.ts';
import { bindingColumns, bindingStrategy } from './binding.ts';
import { rbacGroup } from './names.ts';

const v1: ServedVersion = {
  group: rbacGroup,
  version: 'v1',
  schema: schemaOf('rbac.v1.ClusterRoleBinding'),
  columns: bindingColumns('ClusterRoleBinding'),
};

export const clusterRoleBinding: Resource = {
  names: {
    plural: 'clusterrolebindings',
    singular: 'clusterrolebinding',
    kind: 'ClusterRoleBinding',
    listKind: 'ClusterRoleBindingList',
  },
  scope: 'Cluster',
  storagePrefix: '/registry/clusterrolebindings',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: bindingStrategy({ namespaced: false, roleKinds: ['ClusterRole'] }),
};
