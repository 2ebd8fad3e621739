import { describe, expect, it } from 'vitest';
import type { User } from '../http/api-request.ts';
import type { AccessAttributes, Authorizer } from './authorizer.ts';
import type { RequestedUser } from './impersonation-headers.ts';
import { impersonationModes } from './impersonation-modes.ts';

const nobody: RequestedUser = { name: 'ann', uid: '', groups: [], extra: new Map() };
const [associated, arbitrary, account, userInfo, legacy] = [0, 1, 2, 3, 4];

/** Allows accesses listed as `verb resource[/subresource] name`, and records all checks. */
function allowing(...allowed: string[]): Authorizer & { readonly asked: AccessAttributes[] } {
  const asked: AccessAttributes[] = [];
  return {
    asked,
    authorize(access) {
      asked.push(access);
      const resource = access.subresource === '' ? access.resource : `${access.resource}/${access.subresource}`;
      const known = allowed.includes('*') || allowed.includes(`${access.verb} ${resource} ${access.name}`);
      return { decision: known ? 'allow' : 'no opinion', reason: '' };
    },
    rulesFor: () => ({ resourceRules: [], pathRules: [], incomplete: false }),
  };
}

const request = (user: User = { name: 'actor', groups: [] }): AccessAttributes => {
  const nothing = { group: '', version: 'v1', subresource: '', namespace: 'n', name: 'p', path: '' };
  return { user, verb: 'get', isResource: true, resource: 'pods', ...nothing };
};

const check = (mode: number, authorizer: Authorizer, wanted: Partial<RequestedUser>, user?: User) =>
  impersonationModes(authorizer)[mode]?.check({ ...nobody, ...wanted }, request(user));

describe('impersonation modes', () => {
  it.each<[string, number, Partial<RequestedUser>, boolean]>([
    ['a node', arbitrary, { name: 'system:node:n' }, true],
    ['a node user without a node name', arbitrary, { name: 'system:node:' }, false],
    ['a node with groups', arbitrary, { name: 'system:node:n', groups: ['g'] }, false],
    ['a node that one does not run on', associated, { name: 'system:node:n' }, false],
    ['an account', account, { name: 'system:serviceaccount:n:a' }, true],
    ['a malformed service account name', account, { name: 'system:serviceaccount:n' }, false],
    ['an account as a user', userInfo, { name: 'system:serviceaccount:n:a' }, false],
    ['a node as a user', userInfo, { name: 'system:node:n' }, false],
    ['a user', userInfo, {}, true],
    ['anybody', legacy, { name: 'system:node:n', groups: ['g'] }, true],
  ])('%s', async (_title, mode, wanted, applies) => {
    expect((await check(mode, allowing('*'), wanted)) !== undefined).toBe(applies);
  });

  it('adds the groups of nodes and service accounts', async () => {
    const node = await check(arbitrary, allowing('*'), { name: 'system:node:n' });
    expect(node).toEqual({
      user: { name: 'system:node:n', groups: ['system:nodes', 'system:authenticated'] },
      constraint: 'impersonate:arbitrary-node',
    });
    const found = await check(account, allowing('*'), { name: 'system:serviceaccount:n:a' });
    expect(found?.user.groups).toEqual(['system:serviceaccounts', 'system:serviceaccounts:n', 'system:authenticated']);
    expect((await check(legacy, allowing('*'), { name: 'system:anonymous' }))?.user.groups).toEqual(['system:unauthenticated']);
  });

  it('authorizes the request, then every attribute of the user', async () => {
    const authorizer = allowing('*');
    await check(userInfo, authorizer, { uid: '1', groups: ['g'], extra: new Map([['a.b/c', ['v']]]) });
    expect(
      authorizer.asked.map(({ verb, group, resource, subresource, name }) => [verb, group, resource, subresource, name]),
    ).toEqual([
      ['impersonate-on:user-info:get', '', 'pods', '', 'p'],
      ['impersonate:user-info', 'authentication.k8s.io', 'users', '', 'ann'],
      ['impersonate:user-info', 'authentication.k8s.io', 'uids', '', '1'],
      ['impersonate:user-info', 'authentication.k8s.io', 'groups', '', 'g'],
      ['impersonate:user-info', 'authentication.k8s.io', 'userextras', 'a.b/c', 'v'],
    ]);
  });

  it('authorizes unconstrained impersonation of users and groups in the core group', async () => {
    const authorizer = allowing('*');
    await check(legacy, authorizer, { groups: ['g'], extra: new Map([['scopes', ['v']]]) });
    expect(authorizer.asked.map(({ verb, group, resource }) => `${verb} ${resource}.${group}`)).toEqual([
      'impersonate users.',
      'impersonate groups.',
      'impersonate userextras.authentication.k8s.io',
    ]);
  });

  it('associated-node: authorizes the own node with a wildcard', async () => {
    const user = {
      name: 'system:serviceaccount:n:agent',
      groups: [],
      extra: { 'authentication.kubernetes.io/node-name': ['one'] },
    };
    const authorizer = allowing('impersonate-on:associated-node:get pods p', 'impersonate:associated-node nodes *');
    expect((await check(associated, authorizer, { name: 'system:node:one' }, user))?.user.name).toBe('system:node:one');
    expect(await check(associated, authorizer, { name: 'system:node:two' }, user)).toBeUndefined();
    expect(authorizer.asked.every(({ user: { extra } }) => !extra?.['authentication.kubernetes.io/node-name'])).toBe(true);
  });

  it.each<[Partial<RequestedUser>, string]>([
    [{ groups: ['system:masters'] }, 'impersonating the system:masters group is not allowed'],
    [{ groups: [''] }, 'impersonating the empty string group is not allowed'],
    [{ extra: new Map([['scopes', ['v']]]) }, 'must be a domain-prefixed path (such as "acme.io/foo")'],
    [{ extra: new Map([['a.b/c', ['']]]) }, 'impersonating the empty string value in extra is not allowed'],
  ])('constrained modes reject %o', async (wanted, message) => {
    await expect(check(userInfo, allowing('*'), wanted)).rejects.toThrow(message);
  });
});
