import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KubeClient, loadConfig } from '@tsukube/client';
import { delegatedAuthentication, delegatedAuthorization } from '@tsukube/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { certificate } from '../support/certificates.ts';
import { useServer } from '../support/server.ts';
import { get, startWhoami, type WhoamiServer } from './whoami-server.ts';

const certDir = mkdtempSync(join(tmpdir(), 'tsukube-delegation-'));
const t = useServer({ certDir });
const pair = (name: string) => ({
  pem: readFileSync(join(certDir, `${name}.crt`), 'utf8'),
  key: readFileSync(join(certDir, `${name}.key`), 'utf8'),
});

let now = 0;
let server: WhoamiServer;
beforeAll(async () => {
  const client = new KubeClient(await loadConfig({ kubeconfig: t.server.kubeconfig }), { rateLimit: false });
  const clock = { client, now: () => now };
  server = await startWhoami(await delegatedAuthentication(clock), await delegatedAuthorization(clock));
  const body = { metadata: { name: 'things' }, rules: [{ apiGroups: ['x.example.com'], resources: ['things'], verbs: ['get'] }] };
  await t.client.send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', body);
  const subject = (name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });
  await t.client.send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
    metadata: { name: 'things' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'things' },
    subjects: ['jane', 'system:serviceaccount:default:robot', 'system:serviceaccount:default:gone'].map(subject),
  });
});
afterAll(async () => {
  await server.close();
  rmSync(certDir, { recursive: true });
});

const thing = '/apis/x.example.com/v1/namespaces/default/things/a';
const named = { 'x-remote-user': 'jane', 'x-remote-group': ['one', 'two'], 'x-remote-extra-scope%2fa': 'b', 'x-remote-uid': '7' };

async function tokenOf(account: string): Promise<string> {
  const accounts = '/api/v1/namespaces/default/serviceaccounts';
  await t.client.send('POST', accounts, { metadata: { name: account } });
  const { body } = await t.client.send('POST', `${accounts}/${account}/token`, { spec: {} });
  return body.status.token;
}

describe('identity headers', () => {
  it('are accepted with the certificate of the front proxy', async () => {
    const [status, user] = await get(server.url + thing, { headers: named, client: pair('front-proxy-client') });
    expect([status, user]).toEqual([
      200,
      { name: 'jane', uid: '7', groups: ['one', 'two', 'system:authenticated'], extra: { 'scope/a': ['b'] } },
    ]);
  });

  const authority = certificate('other-ca', { for: 'authority' });
  const foreign = certificate('front-proxy-client', { for: 'client' }, { issuer: authority });
  it.each([
    ['without a certificate', () => undefined, 403],
    ['with a certificate of another CA', () => foreign, 401],
    ['with a self-signed certificate', () => certificate('front-proxy-client', { for: 'client' }), 401],
  ])('are not believed %s', async (_, client, expected) => {
    const forged = { ...named, 'x-remote-group': 'system:masters' };
    const presented = client();
    const [status, body] = await get(server.url + thing, { headers: forged, ...(presented && { client: presented }) });
    expect(status).toBe(expected);
    if (expected === 403) expect(body.message).toContain('User "system:anonymous" cannot get resource "things"');
  });

  it('do not replace the user of a client certificate', async () => {
    const { cert, key } = t.client.tls;
    const admin = { pem: cert.toString(), key: key.toString() };
    const [status, user] = await get(server.url + thing, { headers: named, client: admin });
    expect([status, user.name, user.groups]).toEqual([200, 'admin', ['system:masters', 'system:authenticated']]);
  });

  it('are not accepted by the main server either', async () => {
    const [status, body] = await get(`${t.server.url}/api/v1/namespaces`, {
      headers: { ...named, 'x-remote-group': 'system:masters' },
    });
    expect([status, body.message]).toEqual([403, expect.stringContaining('User "system:anonymous" cannot list')]);
    const reply = await get(`${t.server.url}/api/v1/namespaces`, { headers: named, client: foreign });
    expect(reply[0]).toBe(401);
  });
});

describe('tokens of the main server', () => {
  it('are accepted, and authorized by its RBAC', async () => {
    const headers = { authorization: `Bearer ${await tokenOf('robot')}` };
    const [status, user] = await get(server.url + thing, { headers });
    expect([status, user.name]).toEqual([200, 'system:serviceaccount:default:robot']);
    const [refused, body] = await get(`${server.url}/apis/x.example.com/v1/namespaces/default/others`, { headers });
    expect([refused, body.message]).toEqual([403, expect.stringContaining('cannot list resource "others"')]);
    const [other] = await get(server.url + thing, { headers: { authorization: `Bearer ${await tokenOf('stranger')}` } });
    expect(other).toBe(403);
    expect((await get(server.url + thing, { headers: { authorization: 'Bearer nonsense' } }))[0]).toBe(401);
  });

  it('are refused after they were revoked, when the cached review has expired', async () => {
    const headers = { authorization: `Bearer ${await tokenOf('gone')}` };
    const status = async () => (await get(server.url + thing, { headers }))[0];
    expect(await status()).toBe(200);
    await t.client.send('DELETE', '/api/v1/namespaces/default/serviceaccounts/gone');
    now += 9999;
    expect(await status()).toBe(200);
    now += 2;
    expect(await status()).toBe(401);
  });

  it('lose a permission when the cached review has expired', async () => {
    const headers = { authorization: `Bearer ${await tokenOf('robot')}` };
    const role = '/apis/rbac.authorization.k8s.io/v1/clusterroles/things';
    const patch = (verbs: readonly string[]) =>
      t.client.send('PATCH', role, [{ op: 'replace', path: '/rules/0/verbs', value: verbs }], {
        'content-type': 'application/json-patch+json',
      });
    const status = async () => (await get(server.url + thing, { headers }))[0];
    expect(await status()).toBe(200);
    await patch(['list']);
    expect(await status()).toBe(200);
    now += 10_001;
    expect(await status()).toBe(403);
    await patch(['get']);
    expect(await status()).toBe(403);
    now += 10_001;
    expect(await status()).toBe(200);
  });
});

it('health is for everybody, other paths are not', async () => {
  for (const path of ['/healthz', '/livez', '/readyz']) expect(await get(server.url + path)).toEqual([200, 'ok']);
  expect((await get(`${server.url}/metrics`))[0]).toBe(403);
});
