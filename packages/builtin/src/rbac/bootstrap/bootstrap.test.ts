import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { bootstrapNames, bootstrapPolicy, storedPolicy } from './policy.ts';
import { reconciledBinding, reconciledRole } from './reconcile.ts';

const policy = bootstrapPolicy();
const named = (kind: string, name: string): JsonObject =>
  structuredClone(policy.find((object) => object.kind === kind && (object.metadata as JsonObject).name === name) as JsonObject);

describe('bootstrapPolicy', () => {
  it('has the roles and bindings that Kubernetes has', () => {
    const count = (kind: string) => policy.filter((object) => object.kind === kind).length;
    expect(['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'].map(count)).toEqual([69, 50, 7, 7]);
  });

  it('has the names of bootstrapNames', () => {
    const names = policy.map(({ kind, metadata }) => {
      const { namespace = '', name } = metadata as JsonObject;
      return { kind, namespace, name };
    });
    const byText = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
    expect([...bootstrapNames()].sort(byText)).toEqual([...names].sort(byText));
  });

  it('binds only its own roles', () => {
    const roles = new Set(
      policy.filter(({ kind }) => String(kind).endsWith('Role')).map(({ metadata }) => (metadata as JsonObject).name),
    );
    const bound = policy.flatMap(({ roleRef }) => (roleRef as JsonObject | undefined)?.name ?? []);
    expect(bound.filter((name) => !roles.has(name))).toEqual([]);
  });

  it('is stored with managedFields', () => {
    const stored = JSON.parse(storedPolicy(named('ClusterRole', 'view'), 'u', 't').toString());
    expect(Object.keys(stored)).toEqual(['kind', 'apiVersion', 'metadata', 'rules', 'aggregationRule']);
    expect(stored.metadata.managedFields).toMatchObject([
      { manager: 'clusterrole-aggregation-controller', operation: 'Apply', fieldsV1: { 'f:rules': {} } },
      { manager: 'kube-apiserver', fieldsV1: { 'f:aggregationRule': {}, 'f:metadata': {} } },
    ]);
  });
});

describe('reconciling', () => {
  const role = named('ClusterRole', 'system:basic-user');
  const binding = named('ClusterRoleBinding', 'system:basic-user');
  const autoUpdate = (value: string) => ({ 'rbac.authorization.kubernetes.io/autoupdate': value });

  it('skips complete objects and those that opt out', () => {
    expect(reconciledRole(role, role)).toBeUndefined();
    expect(reconciledBinding(binding, binding)).toBeUndefined();
    const ours = { ...role, metadata: { name: 'x', annotations: autoUpdate('false') }, rules: [] };
    expect(reconciledRole(ours, role)).toBeUndefined();
  });

  it('adds rules and removes none', () => {
    const [, second] = role.rules as JsonObject[];
    const own = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
    const reconciled = reconciledRole({ ...role, rules: [own, second as JsonObject] }, role) as JsonObject;
    expect(reconciled.rules).toEqual([
      own,
      second,
      { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectaccessreviews'] },
      { verbs: ['create'], apiGroups: ['authorization.k8s.io'], resources: ['selfsubjectrulesreviews'] },
    ]);
  });

  it('keeps labels and annotations, and adds its own', () => {
    const { labels: _, ...metadata } = role.metadata as JsonObject;
    const reconciled = reconciledRole({ ...role, metadata: { ...metadata, labels: { mine: 'yes' } } }, role) as JsonObject;
    expect((reconciled.metadata as JsonObject).labels).toEqual({ 'kubernetes.io/bootstrapping': 'rbac-defaults', mine: 'yes' });
  });

  it('adds subjects and removes none; replaces a binding to another role', () => {
    const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'ann' }];
    const reconciled = reconciledBinding({ ...binding, subjects }, binding) as JsonObject;
    expect(reconciled.subjects).toEqual([...subjects, ...(binding.subjects as JsonObject[])]);
    expect(reconciledBinding({ ...binding, roleRef: { kind: 'ClusterRole', name: 'other' } }, binding)).toBe('replace');
  });
});
