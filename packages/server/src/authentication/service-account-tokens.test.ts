import { createHmac, createPrivateKey, sign } from 'node:crypto';
import { signerOf } from '@tsukube/apiserver';
import { newKey } from '@tsukube/machinery/pki';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../start-server.ts';
import { adminOf, ask, fileWith, publicPem } from './testing.ts';

// Tests look into answers without declaring their shape.
// biome-ignore lint/suspicious/noExplicitAny: see above
type Any = any;

const issuer = 'https://kubernetes.default.svc';
const ourKey = newKey().pem;
const oldKey = newKey().pem;

let server: RunningServer;
let admin: ReturnType<typeof adminOf>;
beforeAll(async () => {
  server = await startServer({
    storage: 'memory',
    securePort: 0,
    serviceAccountSigningKeyFile: fileWith(ourKey),
    serviceAccountKeyFile: [fileWith(publicPem(ourKey) + publicPem(oldKey))],
    serviceAccountIssuer: [issuer, 'https://former.example.com'],
    serviceAccountMaxTokenExpiration: 2 * 3600_000,
  });
  admin = adminOf(server.kubeconfig);
});
afterAll(() => server.close());

async function api(method: string, path: string, body?: unknown): Promise<{ status: number; body: Any; headers: Any }> {
  const { status, text, headers } = await ask(server.url + path, { method, body, client: admin });
  return { status, body: JSON.parse(text), headers };
}

const accounts = '/api/v1/namespaces/default/serviceaccounts';
let count = 0;

async function newAccount(): Promise<{ name: string; uid: string }> {
  const name = `robot-${count++}`;
  const { body } = await api('POST', accounts, { metadata: { name } });
  return { name, uid: body.metadata.uid };
}

async function newToken(account: string, spec: object = {}): Promise<string> {
  const { body } = await api('POST', `${accounts}/${account}/token`, { spec });
  if (!body.status?.token) throw new Error(JSON.stringify(body));
  return body.status.token;
}

async function whoIs(token: string): Promise<Any> {
  const { status, text } = await ask(`${server.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
    method: 'POST',
    body: {},
    headers: { authorization: `Bearer ${token}` },
  });
  return status === 201 ? JSON.parse(text).status.userInfo : status;
}

async function review(token: string, audiences?: string[]): Promise<Any> {
  return (await api('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token, audiences } })).body.status;
}

function claimsOf(token: string): Any {
  return JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString());
}

describe('requested tokens', () => {
  it('identify the account', async () => {
    const { name, uid } = await newAccount();
    const token = await newToken(name);
    const { jti, ...claims } = claimsOf(token);
    expect(claims).toMatchObject({
      aud: [issuer, 'https://former.example.com'],
      iss: issuer,
      sub: `system:serviceaccount:default:${name}`,
      'kubernetes.io': { namespace: 'default', serviceaccount: { name, uid } },
    });
    expect(claims.exp - claims.iat).toBe(3600);
    expect(await whoIs(token)).toEqual({
      username: `system:serviceaccount:default:${name}`,
      uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] },
    });
  });

  it('become invalid with the deletion of the account', async () => {
    const { name } = await newAccount();
    const token = await newToken(name);
    for (let i = 0; i < 3; i++) expect(await whoIs(token)).toMatchObject({ uid: expect.any(String) });
    await api('DELETE', `${accounts}/${name}`);
    expect(await whoIs(token)).toBe(401);
    expect(await review(token)).toEqual({ user: {}, error: `[invalid bearer token, serviceaccounts "${name}" not found]` });
    const { body } = await api('POST', accounts, { metadata: { name } });
    expect(await whoIs(token)).toBe(401);
    expect((await review(token)).error).toContain(`service account UID (${body.metadata.uid}) does not match claim`);
  });

  it('are bound to pods and their nodes', async () => {
    const { name } = await newAccount();
    const spec = { serviceAccountName: name, nodeName: 'node-1', containers: [{ name: 'c', image: 'i' }] };
    const { body: pod } = await api('POST', '/api/v1/namespaces/default/pods', { metadata: { name: `pod-${name}` }, spec });
    const ref = { kind: 'Pod', apiVersion: 'v1', name: pod.metadata.name };
    const token = await newToken(name, { boundObjectRef: ref });
    expect((await whoIs(token)).extra).toMatchObject({
      'authentication.kubernetes.io/pod-name': [pod.metadata.name],
      'authentication.kubernetes.io/pod-uid': [pod.metadata.uid],
      'authentication.kubernetes.io/node-name': ['node-1'],
    });
    await api('DELETE', `/api/v1/namespaces/default/pods/${pod.metadata.name}?gracePeriodSeconds=0`);
    expect(await whoIs(token)).toBe(401);
    expect((await review(token)).error).toContain('service account token has been invalidated');
  });

  it('are bound to secrets and nodes', async () => {
    const { name } = await newAccount();
    const { body: secret } = await api('POST', '/api/v1/namespaces/default/secrets', { metadata: { name: `bound-${name}` } });
    const { body: node } = await api('POST', '/api/v1/nodes', { metadata: { name: `bound-${name}` } });
    const bySecret = await newToken(name, { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: secret.metadata.name } });
    const byNode = await newToken(name, { boundObjectRef: { kind: 'Node', apiVersion: 'v1', name: node.metadata.name } });
    expect((await whoIs(byNode)).extra).toMatchObject({ 'authentication.kubernetes.io/node-uid': [node.metadata.uid] });
    expect(await whoIs(bySecret)).toMatchObject({ uid: expect.any(String) });
    await api('DELETE', `/api/v1/namespaces/default/secrets/${secret.metadata.name}`);
    await api('DELETE', `/api/v1/nodes/${node.metadata.name}`);
    expect([await whoIs(bySecret), await whoIs(byNode)]).toEqual([401, 401]);
  });

  it.each<[string, object, number, string]>([
    ['too short', { spec: { expirationSeconds: 599 } }, 422, 'may not specify a duration less than 10 minutes'],
    ['too long', { spec: { expirationSeconds: 2 ** 32 + 1 } }, 422, 'may not specify a duration larger than 2^32 seconds'],
    [
      'another name',
      { metadata: { name: 'x' } },
      422,
      'metadata.name: Invalid value: "x": must match the service account name if specified',
    ],
    [
      'another namespace',
      { metadata: { namespace: 'x' } },
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    [
      'another uid',
      { metadata: { uid: 'x' } },
      409,
      'the UID in the token request (x) does not match the UID of the service account',
    ],
    [
      'a pod that is not there',
      { spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'no' } } },
      404,
      'pods "no" not found',
    ],
    [
      'a kind that nothing is bound to',
      { spec: { boundObjectRef: { kind: 'Job', apiVersion: 'batch/v1', name: 'no' } } },
      400,
      'cannot bind token to object of type batch/v1, Kind=Job',
    ],
  ])('%s', async (_what, body, status, message) => {
    const { name } = await newAccount();
    const answer = await api('POST', `${accounts}/${name}/token`, body);
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)]);
  });

  it('are limited to the maximum lifetime', async () => {
    const { name } = await newAccount();
    const { body, headers } = await api('POST', `${accounts}/${name}/token`, { spec: { expirationSeconds: 86_400 } });
    expect(body.spec.expirationSeconds).toBe(7200);
    expect(headers.warning).toContain('requested expiration of 86400 seconds shortened to 7200 seconds');
  });

  it('for an account that the pod does not use are refused', async () => {
    const { name } = await newAccount();
    const spec = { containers: [{ name: 'c', image: 'i' }] };
    await api('POST', '/api/v1/namespaces/default/pods', { metadata: { name: `other-${name}` }, spec });
    const ref = { kind: 'Pod', apiVersion: 'v1', name: `other-${name}` };
    const answer = await api('POST', `${accounts}/${name}/token`, { spec: { boundObjectRef: ref } });
    expect(answer.body.message).toBe(
      `cannot bind token for serviceaccount "${name}" to pod running with different serviceaccount name.`,
    );
  });

  it('of pods are extended to a year, and warn after an hour', async () => {
    const { name } = await newAccount();
    const spec = { serviceAccountName: name, containers: [{ name: 'c', image: 'i' }] };
    await api('POST', '/api/v1/namespaces/default/pods', { metadata: { name: `long-${name}` }, spec });
    const boundObjectRef = { kind: 'Pod', apiVersion: 'v1', name: `long-${name}` };
    const claims = claimsOf(await newToken(name, { expirationSeconds: 3607, boundObjectRef }));
    expect(claims.exp - claims.iat).toBe(365 * 86_400);
    expect(claims['kubernetes.io'].warnafter - claims.iat).toBe(3607);
  });
});

describe('audiences', () => {
  it('limit the use of a token', async () => {
    const { name } = await newAccount();
    const token = await newToken(name, { audiences: ['vault'] });
    expect(await whoIs(token)).toBe(401);
    expect((await review(token, ['vault', 'other'])).audiences).toEqual(['vault']);
    expect((await review(token)).error).toContain('token audiences ["vault"] is invalid for the target audiences');
  });
});

describe('forged tokens', () => {
  const now = Math.floor(Date.now() / 1000);
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  let good: Any;
  beforeAll(async () => {
    const { name } = await newAccount();
    good = claimsOf(await newToken(name));
  });
  const signed = (claims: object, key = ourKey) => signerOf(key).sign({ ...good, ...claims } as Any);
  const headed = (header: object, signature: (text: string) => Buffer) => {
    const text = `${encode(header)}.${encode(good)}`;
    return `${text}.${signature(text).toString('base64url')}`;
  };
  const es256 = (text: string) => sign('sha256', Buffer.from(text), { key: createPrivateKey(ourKey), dsaEncoding: 'ieee-p1363' });

  it('valid tokens of all keys and issuers are accepted', async () => {
    expect(await whoIs(signed({}))).toMatchObject({ uid: expect.any(String) });
    expect(await whoIs(signed({}, oldKey))).toMatchObject({ uid: expect.any(String) });
    expect(await whoIs(signed({ iss: 'https://former.example.com' }))).toMatchObject({ uid: expect.any(String) });
    expect(await whoIs(headed({ alg: 'ES256' }, es256))).toMatchObject({ uid: expect.any(String) });
  });

  it.each<[string, () => string]>([
    ['expired', () => signed({ exp: now - 120 })],
    ['not valid yet', () => signed({ nbf: now + 120 })],
    ['issued in the future', () => signed({ iat: now + 120 })],
    ['wrong audience', () => signed({ aud: ['elsewhere'] })],
    ['wrong issuer', () => signed({ iss: 'https://elsewhere.example.com' })],
    ['no issuer', () => signed({ iss: undefined })],
    ['wrong key', () => signed({}, newKey().pem)],
    ['alg none', () => headed({ alg: 'none' }, () => Buffer.alloc(0))],
    ['alg None with a signature', () => headed({ alg: 'None' }, es256)],
    [
      'HS256 with the public key as secret',
      () => headed({ alg: 'HS256' }, (text) => createHmac('sha256', publicPem(ourKey)).update(text).digest()),
    ],
    ['RS256 for an EC key', () => headed({ alg: 'RS256' }, es256)],
    ['ES384 for a key on P-256', () => headed({ alg: 'ES384' }, es256)],
    ['an unknown key ID', () => headed({ alg: 'ES256', kid: 'x' }, es256)],
    ['critical extensions', () => headed({ alg: 'ES256', crit: ['exp'] }, es256)],
    ['an embedded key', () => headed({ alg: 'ES256', jwk: {} }, () => Buffer.alloc(64))],
    ['a signature in DER', () => headed({ alg: 'ES256' }, (text) => sign('sha256', Buffer.from(text), createPrivateKey(ourKey)))],
    ['an audience that is a number', () => signed({ aud: 7 })],
    ['times that are texts', () => signed({ exp: '9999999999' })],
    ['no account', () => signed({ 'kubernetes.io': {} })],
    ['a claim twice', () => doubled()],
    ['two parts', () => signed({}).split('.').slice(0, 2).join('.')],
    ['four parts', () => `${signed({})}.e30`],
    [
      'changed claims',
      () => {
        const [head, , signature] = signed({}).split('.');
        return `${head}.${encode({ ...good, sub: 'admin' })}.${signature}`;
      },
    ],
  ])('%s', async (_what, token) => {
    expect(await whoIs(token())).toBe(401);
    expect((await review(token())).authenticated).toBeUndefined();
  });

  function doubled(): string {
    const text = `${encode({ alg: 'ES256' })}.${Buffer.from(`{"sub":"x",${JSON.stringify(good).slice(1)}`).toString('base64url')}`;
    return `${text}.${es256(text).toString('base64url')}`;
  }
});

describe('tokens in secrets', () => {
  it('are populated, tracked when used, and become invalid with the Secret', async () => {
    const { name, uid } = await newAccount();
    const path = '/api/v1/namespaces/default/secrets';
    const metadata = { name: `token-${name}`, annotations: { 'kubernetes.io/service-account.name': name } };
    await api('POST', path, { metadata, type: 'kubernetes.io/service-account-token' });
    const read = async () => (await api('GET', `${path}/token-${name}`)).body;
    await expect.poll(async () => (await read()).data?.token, { timeout: 5000 }).toEqual(expect.any(String));
    const secret = await read();
    expect(secret.metadata.annotations['kubernetes.io/service-account.uid']).toBe(uid);
    expect(Buffer.from(secret.data.namespace, 'base64').toString()).toBe('default');
    const token = Buffer.from(secret.data.token, 'base64').toString();
    expect(await whoIs(token)).toMatchObject({ username: `system:serviceaccount:default:${name}`, uid });
    const today = new Date().toISOString().slice(0, 10);
    await expect
      .poll(async () => (await read()).metadata.labels?.['kubernetes.io/legacy-token-last-used'], { timeout: 5000 })
      .toBe(today);
    await api('DELETE', `${path}/token-${name}`);
    expect(await whoIs(token)).toBe(401);
    expect((await review(token)).error).toContain('Token has been invalidated');
  });

  it('are deleted with the account', async () => {
    const { name } = await newAccount();
    const path = '/api/v1/namespaces/default/secrets';
    const metadata = { name: `token-${name}`, annotations: { 'kubernetes.io/service-account.name': name } };
    await api('POST', path, { metadata, type: 'kubernetes.io/service-account-token' });
    await expect.poll(async () => (await api('GET', `${path}/token-${name}`)).body.data?.token, { timeout: 5000 }).toBeDefined();
    await api('DELETE', `${accounts}/${name}`);
    await expect.poll(async () => (await api('GET', `${path}/token-${name}`)).status, { timeout: 5000 }).toBe(404);
  });

  it('that are marked invalid are rejected', async () => {
    const { name } = await newAccount();
    const path = '/api/v1/namespaces/default/secrets';
    const annotations = { 'kubernetes.io/service-account.name': name };
    const labels = { 'kubernetes.io/legacy-token-invalid-since': '2024-01-01' };
    await api('POST', path, {
      metadata: { name: `token-${name}`, annotations, labels },
      type: 'kubernetes.io/service-account-token',
    });
    const token = async () => (await api('GET', `${path}/token-${name}`)).body.data?.token;
    await expect.poll(token, { timeout: 5000 }).toBeDefined();
    const text = Buffer.from(await token(), 'base64').toString();
    expect(await whoIs(text)).toBe(401);
    expect((await review(text)).error).toContain('has been marked invalid');
  });
});

describe('OpenID discovery', () => {
  it('serves the issuer and its keys', async () => {
    const { body } = await api('GET', '/.well-known/openid-configuration');
    expect(body).toMatchObject({ issuer, id_token_signing_alg_values_supported: ['ES256'], subject_types_supported: ['public'] });
    expect(body.jwks_uri).toMatch(/\/openid\/v1\/jwks$/);
    const { body: jwks, headers } = await api('GET', '/openid/v1/jwks');
    expect(headers['content-type']).toBe('application/jwk-set+json');
    expect(headers['cache-control']).toBe('public, max-age=3600');
    expect(jwks.keys.map(({ kid }: Any) => kid)).toEqual([signerOf(ourKey).id, signerOf(oldKey).id]);
    expect(jwks.keys[0]).toMatchObject({ use: 'sig', kty: 'EC', crv: 'P-256', alg: 'ES256' });
    expect(jwks.keys[0].d).toBeUndefined();
  });
});
