import {
  ageColumn,
  type Column,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  type Strategy,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  deepEqual,
  type FieldErrors,
  type FieldPath,
  fillIn,
  isValidPathSegmentName,
  type JsonObject,
  nameIsDNSSubdomain,
  objectIn,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { rbacGroup, rbacName } from './rules/policy-rule.ts';

/** The kinds of bindings differ in the kinds of roles they may refer to. */
export interface BindingRules {
  readonly namespaced: boolean;
  readonly roleKinds: readonly string[];
}

export function bindingStrategy(rules: BindingRules): Strategy {
  return {
    validateName: rbacName,
    allowCreateOnUpdate: true,
    applyDefaults: fillGroups,
    validateCreate: (object, errors) => validateBinding(object, rules, errors),
    validateUpdate(object, old, errors) {
      validateBinding(object, rules, errors);
      if (!deepEqual(object.roleRef, old.roleRef)) errors.invalid(path('roleRef'), shownRole(object), 'cannot change roleRef');
    },
  };
}

export function bindingColumns(kind: string): readonly Column[] {
  const binding = `${kind.charAt(0).toLowerCase()}${kind.slice(1)}`;
  const names = (name: string, subject: string, nameOf = (subject: JsonObject) => textIn(subject, 'name')): Column => ({
    name,
    type: 'string',
    priority: 1,
    description: `${name} in the ${binding}`,
    value: (object) => subjectsOf(object, subject).map(nameOf).join(', '),
  });
  return [
    nameColumn,
    // kube-apiserver describes the column with the v1beta1 type.
    column('Role', { type: `io.k8s.api.rbac.v1beta1.${kind}`, field: 'roleRef' }, roleOf),
    ageColumn,
    names('Users', 'User'),
    names('Groups', 'Group'),
    names('ServiceAccounts', 'ServiceAccount', (subject) => `${textIn(subject, 'namespace')}/${textIn(subject, 'name')}`),
  ];
}

function roleOf(object: JsonObject): string {
  const role = objectIn(object, 'roleRef');
  return `${textIn(role, 'kind')}/${textIn(role, 'name')}`;
}

function subjectsOf(object: JsonObject, kind: string): readonly JsonObject[] {
  return objectsIn(object, 'subjects').filter((subject) => subject.kind === kind);
}

function fillGroups(object: JsonObject): void {
  const role = objectIn(object, 'roleRef');
  if (role) fillIn(role, 'apiGroup', rbacGroup);
  for (const subject of objectsIn(object, 'subjects')) {
    if (subject.kind === 'User' || subject.kind === 'Group') fillIn(subject, 'apiGroup', rbacGroup);
  }
}

/** The Go internal type, as Kubernetes prints it in errors. */
function shownRole(object: JsonObject): JsonObject {
  const role = objectIn(object, 'roleRef');
  return { APIGroup: textIn(role, 'apiGroup'), Kind: textIn(role, 'kind'), Name: textIn(role, 'name') };
}

function validateBinding(object: JsonObject, { namespaced, roleKinds }: BindingRules, errors: FieldErrors): void {
  const role = objectIn(object, 'roleRef');
  const [at, name] = [path('roleRef'), textIn(role, 'name')];
  requireGroup(role, at, errors);
  if (!roleKinds.includes(textIn(role, 'kind'))) errors.notSupported(at.child('kind'), textIn(role, 'kind'), roleKinds);
  if (name === '') errors.required(at.child('name'));
  for (const problem of isValidPathSegmentName(name)) errors.invalid(at.child('name'), name, problem);
  for (const [i, subject] of objectsIn(object, 'subjects').entries())
    validateSubject(subject, namespaced, path('subjects').index(i), errors);
}

function requireGroup(reference: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  const group = textIn(reference, 'apiGroup');
  if (group !== rbacGroup) errors.notSupported(at.child('apiGroup'), group, [rbacGroup]);
}

const subjectKinds = ['ServiceAccount', 'User', 'Group'];

function validateSubject(subject: JsonObject, namespaced: boolean, at: FieldPath, errors: FieldErrors): void {
  const kind = textIn(subject, 'kind');
  if (textIn(subject, 'name') === '') errors.required(at.child('name'));
  if (kind === 'ServiceAccount') validateServiceAccount(subject, namespaced, at, errors);
  else if (subjectKinds.includes(kind)) requireGroup(subject, at, errors);
  else errors.notSupported(at.child('kind'), kind, subjectKinds);
}

function validateServiceAccount(subject: JsonObject, namespaced: boolean, at: FieldPath, errors: FieldErrors): void {
  const [name, group] = [textIn(subject, 'name'), textIn(subject, 'apiGroup')];
  if (name !== '') for (const problem of nameIsDNSSubdomain(name, false)) errors.invalid(at.child('name'), name, problem);
  if (group !== '') errors.notSupported(at.child('apiGroup'), group, ['']);
  if (!namespaced && textIn(subject, 'namespace') === '') errors.required(at.child('namespace'));
}

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

const roleBindingV1: ServedVersion = {
  group: rbacGroup,
  version: 'v1',
  schema: schemaOf('rbac.v1.RoleBinding'),
  columns: bindingColumns('RoleBinding'),
};

export const roleBinding: Resource = {
  names: { plural: 'rolebindings', singular: 'rolebinding', kind: 'RoleBinding', listKind: 'RoleBindingList' },
  scope: 'Namespaced',
  storagePrefix: '/registry/rolebindings',
  hub: roleBindingV1,
  versions: [roleBindingV1],
  verbs: storedVerbs,
  strategy: bindingStrategy({ namespaced: true, roleKinds: ['Role', 'ClusterRole'] }),
};
