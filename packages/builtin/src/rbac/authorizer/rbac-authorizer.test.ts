import type { AccessAttributes, User, Verdict } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { rbacAuthorizer } from './rbac-authorizer.ts';
import { RbacIndex } from './rbac-index.ts';

const ann: User = { name: 'ann', groups: ['readers', 'system:authenticated'] };

function access(given: Partial<AccessAttributes>): AccessAttributes {
  const nothing = { version: 'v1', group: '', resource: '', subresource: '', namespace: '', name: '', path: '' };
  return { user: ann, verb: 'get', isResource: given.path === undefined, ...nothing, ...given };
}

function bind(index: RbacIndex, namespace: string, name: string, role: string, subjects: JsonObject[], kind = 'ClusterRole') {
  index.put('binding', namespace, name, () => ({ roleRef: { kind, name: role }, subjects }));
}

function allow(index: RbacIndex, namespace: string, name: string, ...rules: JsonObject[]) {
  index.put('role', namespace, name, () => ({ rules }));
}

const toAnn = { kind: 'User', name: 'ann' };
const pods = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };

describe('a rule', () => {
  it.each<[string, JsonObject, Partial<AccessAttributes>, boolean]>([
    ['names a resource', pods, { resource: 'pods' }, true],
    ['names another verb', pods, { resource: 'pods', verb: 'list' }, false],
    ['names another group', pods, { resource: 'pods', group: 'apps' }, false],
    ['does not include subresources', pods, { resource: 'pods', subresource: 'log' }, false],
    ['names a subresource', { ...pods, resources: ['pods/log'] }, { resource: 'pods', subresource: 'log' }, true],
    [
      'names the subresource of any resource',
      { ...pods, resources: ['*/scale'] },
      { resource: 'pods', subresource: 'scale' },
      true,
    ],
    [
      'names another subresource of any resource',
      { ...pods, resources: ['*/scale'] },
      { resource: 'pods', subresource: 'log' },
      false,
    ],
    ['names everything', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, { resource: 'x', subresource: 'y' }, true],
    ['names an object', { ...pods, resourceNames: ['p'] }, { resource: 'pods', name: 'p' }, true],
    ['names another object', { ...pods, resourceNames: ['p'] }, { resource: 'pods', name: 'q' }, false],
    ['names an object, the request is for all', { ...pods, resourceNames: ['p'] }, { resource: 'pods' }, false],
    ['names a path', { verbs: ['get'], nonResourceURLs: ['/a'] }, { path: '/a' }, true],
    ['names a path above', { verbs: ['get'], nonResourceURLs: ['/a'] }, { path: '/a/b' }, false],
    ['names paths below', { verbs: ['get'], nonResourceURLs: ['/a/*'] }, { path: '/a/b/c' }, true],
    ['names paths below, not this', { verbs: ['get'], nonResourceURLs: ['/a/*'] }, { path: '/a' }, false],
    ['names resources, not paths', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, { path: '/a' }, false],
    ['names paths, not resources', { verbs: ['*'], nonResourceURLs: ['*'] }, { resource: 'pods' }, false],
  ])('%s', (_title, rule, asked, allowed) => {
    const index = new RbacIndex();
    allow(index, '', 'r', rule);
    bind(index, '', 'b', 'r', [toAnn]);
    expect((rbacAuthorizer(index).authorize(access(asked)) as Verdict).decision).toBe(allowed ? 'allow' : 'no opinion');
  });
});

describe('a binding', () => {
  const reason = (index: RbacIndex, given: Partial<AccessAttributes> = {}) =>
    (rbacAuthorizer(index).authorize(access({ resource: 'pods', ...given })) as Verdict).reason;

  it.each<[string, JsonObject, User, string]>([
    ['of a user', toAnn, ann, 'User "ann"'],
    ['of a group', { kind: 'Group', name: 'readers' }, ann, 'Group "readers"'],
    [
      'of a service account',
      { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      { name: 'system:serviceaccount:n:s', groups: [] },
      'ServiceAccount "s/n"',
    ],
  ])('%s has a reason', (_title, subject, user, text) => {
    const index = new RbacIndex();
    allow(index, '', 'r', pods);
    bind(index, '', 'b', 'r', [{ kind: 'User', name: 'other' }, subject]);
    expect(reason(index, { user })).toBe(`RBAC: allowed by ClusterRoleBinding "b" of ClusterRole "r" to ${text}`);
  });

  it('applies in its namespace only; the namespace of a service account is optional', () => {
    const index = new RbacIndex();
    allow(index, 'n', 'r', pods);
    bind(index, 'n', 'b', 'r', [toAnn, { kind: 'ServiceAccount', name: 's' }], 'Role');
    const account = { name: 'system:serviceaccount:n:s', groups: [] };
    expect(reason(index, { namespace: 'n' })).toBe('RBAC: allowed by RoleBinding "b/n" of Role "r" to User "ann"');
    expect(reason(index, { namespace: 'n', user: account })).toContain('to ServiceAccount "s/n"');
    expect(reason(index, { namespace: 'm' })).toBe('');
    expect(reason(index)).toBe('');
  });

  it('to a missing role is reported, and applies once the role exists', () => {
    const index = new RbacIndex();
    bind(index, '', 'b', 'r', [toAnn]);
    bind(index, 'n', 'c', 'q', [toAnn], 'Role');
    expect(reason(index, { namespace: 'n' })).toBe(
      'RBAC: [clusterrole.rbac.authorization.k8s.io "r" not found, role.rbac.authorization.k8s.io "q" not found]',
    );
    allow(index, '', 'r', pods);
    expect(reason(index, { namespace: 'n' })).toContain('allowed by');
    index.remove('role', '', 'r');
    expect(reason(index)).toBe('RBAC: clusterrole.rbac.authorization.k8s.io "r" not found');
  });

  it('has no effect after it changed or was deleted', () => {
    const index = new RbacIndex();
    allow(index, '', 'r', pods);
    bind(index, '', 'b', 'r', [toAnn]);
    bind(index, '', 'b', 'r', [{ kind: 'User', name: 'bob' }]);
    expect(reason(index)).toBe('');
    bind(index, '', 'b', 'r', [toAnn]);
    index.remove('binding', '', 'b');
    expect(reason(index)).toBe('');
  });
});

describe('ten thousand bindings', () => {
  const manyFor = (subject: (i: number) => JsonObject): RbacIndex => {
    const index = new RbacIndex();
    for (let i = 0; i < 10_000; i++) {
      allow(index, '', `r${i}`, { ...pods, resourceNames: [`p${i}`] });
      bind(index, '', `b${i}`, `r${i}`, [subject(i)]);
    }
    return index;
  };

  it('of other users cost nothing', () => {
    const index = manyFor((i) => ({ kind: 'User', name: `u${i}` }));
    let visited = 0;
    index.visit(ann, '', (bindings) => {
      visited += bindings.size;
      return false;
    });
    expect(visited).toBe(0);
  });

  it('of one user are cached until a change', () => {
    const index = manyFor(() => toAnn);
    const authorizer = rbacAuthorizer(index);
    const asked = access({ resource: 'pods', name: 'p9999' });
    const first = authorizer.authorize(asked);
    expect(authorizer.authorize(access({ resource: 'pods', name: 'p9999' }))).toBe(first);
    expect((first as Verdict).decision).toBe('allow');
    expect((authorizer.authorize(access({ resource: 'pods', name: 'none' })) as Verdict).decision).toBe('no opinion');
    index.remove('binding', '', 'b9999');
    expect((authorizer.authorize(asked) as Verdict).decision).toBe('no opinion');
  });
});

it('lists the rules of a user, each binding once', async () => {
  const index = new RbacIndex();
  allow(index, '', 'r', pods, { verbs: ['get'], nonResourceURLs: ['/x'] });
  bind(index, '', 'b', 'r', [toAnn, { kind: 'Group', name: 'readers' }]);
  bind(index, 'n', 'c', 'gone', [toAnn]);
  const rules = await rbacAuthorizer(index).rulesFor(ann, 'n');
  expect(rules.resourceRules).toMatchObject([pods]);
  expect(rules.pathRules).toMatchObject([{ verbs: ['get'], nonResourceURLs: ['/x'] }]);
  expect(rules.error).toBe('clusterrole.rbac.authorization.k8s.io "gone" not found');
});
