import { FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { clusterRoleBinding, roleBinding } from './bindings.ts';
import { clusterRole, role } from './roles.ts';

const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };

describe('validation', () => {
  it.each([
    ['a role without rules', role, {}, []],
    ['a rule without anything', role, { rules: [{}] }, ['rules[0].verbs', 'rules[0].apiGroups', 'rules[0].resources']],
    ['paths in a namespace', role, { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }, ['rules[0].nonResourceURLs']],
    ['paths of the cluster', clusterRole, { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] }, []],
    ['an empty aggregationRule', clusterRole, { aggregationRule: {} }, ['aggregationRule.clusterRoleSelectors']],
    ['a ClusterRoleBinding to a Role', clusterRoleBinding, { roleRef: { ...roleRef, kind: 'Role' } }, ['roleRef.kind']],
    [
      'an account of no namespace',
      clusterRoleBinding,
      { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
      ['subjects[0].namespace'],
    ],
    ['an account of the own namespace', roleBinding, { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'a' }] }, []],
  ])('%s', (_title, resource, object, fields) => {
    const errors = new FieldErrors();
    resource.strategy.validateCreate?.(object as KubeObject, errors, resource.hub);
    expect(errors.list.map(({ field }) => field)).toEqual(fields);
  });

  it('rejects a changed roleRef', () => {
    const errors = new FieldErrors();
    roleBinding.strategy.validateUpdate?.(
      { roleRef } as JsonObject as KubeObject,
      { roleRef: { ...roleRef, name: 'edit' } } as JsonObject as KubeObject,
      errors,
      roleBinding.hub,
    );
    expect(errors.toString()).toContain('"Name":"view"}: cannot change roleRef');
  });
});

it('defaults apiGroup of users and groups', () => {
  const binding: JsonObject = {
    roleRef: { kind: 'Role', name: 'r' },
    subjects: [
      { kind: 'User', name: 'u' },
      { kind: 'ServiceAccount', name: 'a' },
    ],
  };
  roleBinding.strategy.applyDefaults?.(binding as KubeObject);
  expect(binding.roleRef).toMatchObject({ apiGroup: 'rbac.authorization.k8s.io' });
  expect(binding.subjects).toEqual([
    { kind: 'User', name: 'u', apiGroup: 'rbac.authorization.k8s.io' },
    { kind: 'ServiceAccount', name: 'a' },
  ]);
});
