import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { rawRequest } from '../support/raw-request.ts';
import { useServer } from '../support/server.ts';

const tokenFile = join(mkdtempSync(join(tmpdir(), 'tsukube-tokens-')), 'tokens.csv');
writeFileSync(tokenFile, 'ann,ann,1,readers\nbob,bob,2\nsid,sid,3\nact,actor,4\n', { mode: 0o600 });

const t = useServer({ tokenAuthFile: tokenFile });
const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Sends a request with a bearer token. */
const askAs = (token: string, method: string, path: string, body?: unknown, headers: Record<string, string | string[]> = {}) =>
  rawRequest(t.client, method, path, { authorization: `Bearer ${token}`, ...headers }, body);
const statusAs = async (token: string, path: string, method = 'GET') => (await askAs(token, method, path)).status;

async function make(path: string, object: Record<string, unknown>): Promise<void> {
  expect((await t.client.send('POST', path, object)).status).toBe(201);
}

const grant = async (namespace: string, name: string, user: string, ...rules: unknown[]) => {
  const at = namespace === '' ? rbac : `${rbac}/namespaces/${namespace}`;
  const [role, binding, kind] =
    namespace === '' ? ['clusterroles', 'clusterrolebindings', 'ClusterRole'] : ['roles', 'rolebindings', 'Role'];
  await make(`${at}/${role}`, { metadata: { name }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name };
  await make(`${at}/${binding}`, { metadata: { name }, roleRef, subjects: [{ kind: 'User', name: user }] });
};

beforeAll(async () => {
  for (const name of ['one', 'two']) {
    await make('/api/v1/namespaces', { metadata: { name } });
    await make(`/api/v1/namespaces/${name}/configmaps`, { metadata: { name: 'map' }, data: { of: name } });
    await make(`/api/v1/namespaces/${name}/secrets`, { metadata: { name: 'secret' } });
  }
  await grant('one', 'reader', 'ann', {
    verbs: ['get', 'list'],
    apiGroups: [''],
    resources: ['configmaps', 'nodes', 'namespaces'],
  });
  await grant('one', 'one-secret', 'bob', {
    verbs: ['list', 'watch', 'get'],
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: ['secret'],
  });
});

describe('a role in a namespace', () => {
  it.each([
    ['GET', '/api/v1/namespaces/one/configmaps/map', 200],
    ['GET', '/api/v1/namespaces/one/configmaps', 200],
    ['GET', '/api/v1/namespaces/one', 200],
    ['GET', '/api/v1/namespaces/one/configmaps?watch=1', 403],
    ['GET', '/api/v1/watch/namespaces/one/configmaps', 403],
    ['GET', '/api/v1/namespaces/two/configmaps/map', 403],
    ['GET', '/api/v1/namespaces/two', 403],
    ['GET', '/api/v1/configmaps', 403],
    ['GET', '/api/v1/namespaces', 403],
    ['GET', '/api/v1/nodes', 403],
    // Allowed, but nodes are not namespaced.
    ['GET', '/api/v1/namespaces/one/nodes', 404],
    ['DELETE', '/api/v1/namespaces/one/configmaps', 403],
    ['DELETE', '/api/v1/namespaces/one/configmaps/map', 403],
    ['PUT', '/api/v1/namespaces/one/configmaps/map', 403],
    ['PATCH', '/api/v1/namespaces/one/configmaps/map', 403],
    ['POST', '/api/v1/namespaces/one/configmaps', 403],
    ['GET', '/apis', 200],
    ['GET', '/metrics', 403],
  ])('%s %s: %i', async (method, path, status) => {
    expect(await statusAs('ann', path, method)).toBe(status);
  });

  it.each([
    '/api/v1/namespaces/one/../two/configmaps/map',
    '/api/v1/namespaces/one/%2e%2e/two/configmaps/map',
    '/api/v1/namespaces/one%2F..%2Ftwo/configmaps/map',
    '/api/v1/namespaces/one/configmaps/..%2F..%2Ftwo%2Fconfigmaps%2Fmap',
    '/api/v1/namespaces/one/configmaps/map%2F..%2F..%2F..%2Ftwo%2Fconfigmaps%2Fmap',
    '//api/v1/namespaces/two/configmaps/map',
    '/api/v1//namespaces/two/configmaps/map',
    '/api/v1/namespaces//two/configmaps/map',
    '/./api/v1/namespaces/two/configmaps/map',
    '/API/v1/namespaces/two/configmaps/map',
    '/api/v1/namespaces/one%00/../two/configmaps/map',
    '/api/v1/namespaces/two%00/configmaps/map',
    '/api/v1/namespaces/one/configmaps/map%00',
    '/version/../api/v1/namespaces/two/configmaps/map',
    '/version%2f..%2fapi/v1/namespaces/two/configmaps/map',
    '/apis/../api/v1/namespaces/two/configmaps/map',
    '/api/v1/namespaces/two/configmaps/map/',
    '/api/v1/namespaces/two/configmaps/map%3f',
    '/api/v1/proxy/namespaces/two/configmaps/map',
  ])('authorization and serving use the same path: %s', async (path) => {
    const { status, text } = await askAs('ann', 'GET', path);
    expect([301, 400, 403, 404, 405]).toContain(status);
    expect(text).not.toContain('"of":"two"');
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('a verb in the path does not permit a write: %s', async (method) => {
    expect((await t.client.send(method, '/api/v1/watch/namespaces/one/configmaps/map', { data: {} })).status).toBe(405);
  });

  it('uses metadata.name in a field selector as the resource name', async () => {
    const secrets = '/api/v1/namespaces/one/secrets';
    const status = (query: string) => statusAs('bob', secrets + query);
    expect(await status('?fieldSelector=metadata.name%3Dsecret')).toBe(200);
    expect(await status('?fieldSelector=metadata.name%3Dother')).toBe(403);
    expect(await status('?fieldSelector=metadata.name%21%3Dsecret')).toBe(403);
    expect(await status('?fieldSelector=metadata.name%3Dsecret,metadata.name%3Dother')).not.toBe(500);
    expect(await status('')).toBe(403);
    const listed = await askAs('bob', 'GET', `${secrets}?fieldSelector=metadata.name%3Dsecret`);
    expect(listed.body.items).toHaveLength(1);
  });
});

describe('a write', () => {
  it('takes effect immediately, and so does its deletion', async () => {
    const path = '/api/v1/namespaces/two/secrets/secret';
    for (let i = 0; i < 5; i++) {
      await grant('two', `sid-${i}`, 'sid', { verbs: ['get'], apiGroups: [''], resources: ['secrets'] });
      expect(await statusAs('sid', path)).toBe(200);
      await t.client.send('DELETE', `${rbac}/namespaces/two/rolebindings/sid-${i}`);
      expect(await statusAs('sid', path)).toBe(403);
    }
  });

  it('of a role with too many rule combinations is refused', async () => {
    await grant('one', 'multiplier', 'sid', {
      verbs: ['create'],
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['roles'],
    });
    const names = Array.from({ length: 1000 }, (_, i) => `n${i}`);
    const rules = [{ verbs: names, apiGroups: names, resources: names, resourceNames: names }];
    const { status, body } = await askAs('sid', 'POST', `${rbac}/namespaces/one/roles`, { metadata: { name: 'large' }, rules });
    expect(status).toBe(413);
    expect(body.message).toContain('the limit is 50000');
    expect(
      (await t.client.send('POST', `${rbac}/namespaces/one/roles?dryRun=All`, { metadata: { name: 'large' }, rules })).status,
    ).toBe(201);
  });

  it('of a role with more permissions than the user has is refused, by any verb', async () => {
    const verbs = ['create', 'update', 'patch', 'get'];
    await grant('one', 'role-maker', 'sid', {
      verbs,
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['roles', 'rolebindings'],
    });
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }];
    const roles = `${rbac}/namespaces/one/roles`;
    const refused =
      'user "sid" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}';
    const created = await askAs('sid', 'POST', roles, { metadata: { name: 'more' }, rules });
    expect(created).toMatchObject({
      status: 403,
      body: { message: `roles.rbac.authorization.k8s.io "more" is forbidden: ${refused}` },
    });
    const patch = { 'content-type': 'application/merge-patch+json' };
    expect((await askAs('sid', 'PATCH', `${roles}/role-maker`, { rules }, patch)).body.message).toContain(refused);
    const apply = { 'content-type': 'application/apply-patch+yaml' };
    const applied = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'more' }, rules };
    expect((await askAs('sid', 'PATCH', `${roles}/more?fieldManager=m`, applied, apply)).body.message).toContain(refused);
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    const bound = await askAs('sid', 'POST', `${rbac}/namespaces/one/rolebindings`, { metadata: { name: 'b' }, roleRef });
    expect(bound.body.message).toContain('is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], ');
  });

  it('of own permissions is allowed, and of any with bind or escalate', async () => {
    const own = { verbs: ['get'], apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'] };
    const roles = `${rbac}/namespaces/one/roles`;
    expect((await askAs('sid', 'POST', roles, { metadata: { name: 'own' }, rules: [own] })).status).toBe(201);
    await grant('one', 'binder', 'sid', {
      verbs: ['bind'],
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
      resourceNames: ['view'],
    });
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
    const bindings = `${rbac}/namespaces/one/rolebindings`;
    expect((await askAs('sid', 'POST', bindings, { metadata: { name: 'v' }, roleRef })).status).toBe(201);
    const edit = { ...roleRef, name: 'edit' };
    expect((await askAs('sid', 'POST', bindings, { metadata: { name: 'e' }, roleRef: edit })).status).toBe(403);
    await grant('one', 'escalator', 'sid', {
      verbs: ['escalate'],
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['roles'],
    });
    const rules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
    expect((await askAs('sid', 'POST', roles, { metadata: { name: 'all' }, rules })).status).toBe(201);
  });

  it('of an aggregated role needs all permissions', async () => {
    await grant('', 'gatherer', 'sid', {
      verbs: ['create'],
      apiGroups: ['rbac.authorization.k8s.io'],
      resources: ['clusterroles'],
    });
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] };
    const answer = await askAs('sid', 'POST', `${rbac}/clusterroles`, { metadata: { name: 'g' }, aggregationRule });
    expect(answer.body.message).toBe(
      'clusterroles.rbac.authorization.k8s.io "g" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
  });
});

it('aggregated roles follow the roles they select', async () => {
  const rules = [{ verbs: ['get'], apiGroups: ['x'], resources: ['y'] }];
  const labels = { gather: 'yes' };
  await make(`${rbac}/clusterroles`, {
    metadata: { name: 'sum' },
    aggregationRule: { clusterRoleSelectors: [{ matchLabels: labels }] },
  });
  const sum = async () => (await t.client.get(`${rbac}/clusterroles/sum`)).body.rules;
  await make(`${rbac}/clusterroles`, { metadata: { name: 'part', labels }, rules });
  await expect.poll(sum).toEqual(rules);
  await t.client.send('DELETE', `${rbac}/clusterroles/part`);
  await expect.poll(sum).toBeNull();
});

describe('impersonation', () => {
  const map = '/api/v1/namespaces/one/configmaps/map';
  const get = (token: string, headers: Record<string, string>, path = map) => askAs(token, 'GET', path, undefined, headers);
  const getAsAdmin = (headers: Record<string, string>, path = map) => t.client.get(path, headers);

  it.each<[string, Record<string, string>]>([
    ['a user', { 'Impersonate-User': 'ann' }],
    ['a user and a group', { 'Impersonate-User': 'ann', 'Impersonate-Group': 'system:masters' }],
    ['a service account', { 'Impersonate-User': 'system:serviceaccount:one:default' }],
    ['a node', { 'Impersonate-User': 'system:node:n' }],
    ['a user with extras', { 'Impersonate-User': 'ann', 'Impersonate-Extra-Scopes': 'all' }],
    ['in another spelling', { 'iMPERSONATE-uSER': 'ann' }],
  ])('needs permission: %s', async (_title, headers) => {
    const { status, text } = await get('bob', headers);
    expect(status).toBe(403);
    expect(JSON.parse(text).message).toMatch(/User "bob" cannot impersonate/);
  });

  it('names the impersonated user in error messages', async () => {
    expect((await get('bob', { 'Impersonate-Uid': '1' })).status).toBe(400);
    expect((await get('bob', { 'Impersonate-Extra-A': '1' })).status).toBe(400);
  });

  it('has the permissions of the impersonated user only', async () => {
    expect((await getAsAdmin({ 'Impersonate-User': 'ann' })).status).toBe(200);
    expect((await getAsAdmin({ 'Impersonate-User': 'ann' }, '/api/v1/namespaces/two/configmaps/map')).status).toBe(403);
    expect((await getAsAdmin({ 'Impersonate-User': 'x', 'Impersonate-Group': 'system:masters' })).status).toBe(200);
  });

  it('is visible in SelfSubjectReview', async () => {
    const review = (headers: Record<string, string>) =>
      t.client
        .send('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, headers)
        .then(({ body }) => body.status.userInfo);
    expect(
      await review({
        'Impersonate-User': 'zoe',
        'Impersonate-Uid': '7',
        'Impersonate-Group': 'g',
        'Impersonate-Extra-Example.com%2Fscope': 'a',
      }),
    ).toEqual({ username: 'zoe', uid: '7', groups: ['g', 'system:authenticated'], extra: { 'example.com/scope': ['a'] } });
    expect((await review({ 'Impersonate-User': 'system:serviceaccount:one:s' })).groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:one',
      'system:authenticated',
    ]);
  });

  it('can be granted for users and groups with the verb impersonate', async () => {
    await grant('', 'old', 'actor', { verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['ann'] });
    expect((await get('act', { 'Impersonate-User': 'ann' })).status).toBe(200);
    const { text } = await get('act', { 'Impersonate-User': 'ann', 'Impersonate-Group': 'g' });
    expect(JSON.parse(text).message).toBe(
      'groups "g" is forbidden: User "actor" cannot impersonate resource "groups" in API group "" at the cluster scope',
    );
    expect((await get('act', { 'Impersonate-User': 'bob' })).status).toBe(403);
  });

  it('can be granted for some requests only (constrained impersonation)', async () => {
    await grant(
      '',
      'narrow',
      'bob',
      { verbs: ['impersonate:user-info'], apiGroups: ['authentication.k8s.io'], resources: ['users'], resourceNames: ['ann'] },
      { verbs: ['impersonate-on:user-info:get'], apiGroups: [''], resources: ['configmaps'] },
    );
    expect((await get('bob', { 'Impersonate-User': 'ann' })).status).toBe(200);
    const { status, text } = await get('bob', { 'Impersonate-User': 'ann' }, '/api/v1/namespaces/one/configmaps');
    expect(status).toBe(403);
    expect(JSON.parse(text).message).toContain('User "bob" cannot impersonate-on:user-info:list resource "configmaps"');
  });
});

describe('access reviews', () => {
  const path = (kind: string) => `/apis/authorization.k8s.io/v1/${kind}`;
  const ask = async (kind: string, spec: unknown) => (await t.client.send('POST', path(kind), { spec })).body.status;
  const askOneself = async (token: string, kind: string, spec: unknown) =>
    (await askAs(token, 'POST', path(kind), { spec })).body.status;

  it('decide like requests', async () => {
    const resourceAttributes = { namespace: 'one', verb: 'get', resource: 'configmaps' };
    expect(await askOneself('ann', 'selfsubjectaccessreviews', { resourceAttributes })).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "reader/one" of Role "reader" to User "ann"',
    });
    expect(await askOneself('bob', 'selfsubjectaccessreviews', { resourceAttributes })).toEqual({ allowed: false });
    expect(await ask('subjectaccessreviews', { user: 'x', groups: ['system:masters'], resourceAttributes })).toEqual({
      allowed: true,
    });
  });

  it('report invalid selectors', async () => {
    const fieldSelector = { rawSelector: 'nope' };
    const labelSelector = {
      requirements: [
        { key: 'a', operator: 'In', values: ['b'] },
        { key: 'a', operator: 'Like' },
      ],
    };
    const resourceAttributes = { namespace: 'one', verb: 'list', resource: 'configmaps', fieldSelector, labelSelector };
    expect(await askOneself('ann', 'selfsubjectaccessreviews', { resourceAttributes })).toMatchObject({
      allowed: true,
      evaluationError:
        'spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector partially ignored due to parse error',
    });
  });

  it('list the rules of a user', async () => {
    const { resourceRules, nonResourceRules, incomplete } = await askOneself('ann', 'selfsubjectrulesreviews', {
      namespace: 'one',
    });
    expect(resourceRules).toContainEqual({
      verbs: ['get', 'list'],
      apiGroups: [''],
      resources: ['configmaps', 'nodes', 'namespaces'],
    });
    expect(nonResourceRules.map((rule: { nonResourceURLs: string[] }) => rule.nonResourceURLs)).toContainEqual([
      '/healthz',
      '/livez',
      '/readyz',
      '/version',
      '/version/',
    ]);
    expect(incomplete).toBe(false);
  });
});

it('decisions are counted', async () => {
  const { text } = await t.client.get('/metrics');
  expect(text).toMatch(/^authorization_attempts_total\{result="allowed"\} [1-9]/m);
  expect(text).toMatch(/^authorization_attempts_total\{result="no-opinion"\} [1-9]/m);
  expect(text).toMatch(/^apiserver_authorization_decisions_total\{decision="allowed",name="rbac",type="RBAC"\} [1-9]/m);
});
