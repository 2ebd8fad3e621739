import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../start-server.ts';
import { ask, fileWith, newAuthority, newCertificate, serveHttps } from './testing.ts';

const authority = newAuthority('issuers');
const certificate = newCertificate(authority, { commonName: 'issuer' }, { for: 'server', hosts: ['127.0.0.1'] });

interface IssuerKey {
  readonly kid: string;
  readonly alg: 'RS256' | 'ES256';
  readonly key: KeyObject;
}

function newIssuerKey(kid: string, alg: 'RS256' | 'ES256' = 'RS256'): IssuerKey {
  const { privateKey } =
    alg === 'RS256' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { kid, alg, key: createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' })) };
}

let published: IssuerKey[] = [newIssuerKey('one')];
let asked = 0;
let issuer: Awaited<ReturnType<typeof serveHttps>>;

function answer(path: string) {
  if (path === '/.well-known/openid-configuration') return { body: { issuer: issuer.url, jwks_uri: `${issuer.url}/keys` } };
  if (path === '/groups') return { text: tokenOf({ groups: ['far', 'away'] }) };
  if (path === '/stolen') return { text: tokenOf({ groups: ['system:masters'] }, newIssuerKey('stolen', 'ES256')) };
  if (path !== '/keys') return { status: 404, body: {} };
  asked++;
  return { body: { keys: published.map(({ kid, key }) => ({ ...createPublicKey(key).export({ format: 'jwk' }), kid })) } };
}

function tokenOf(claims: object, { kid, alg, key }: IssuerKey = published[0] as IssuerKey): string {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: issuer.url, aud: 'tsukube', sub: 'grace', exp: now + 600, iat: now, jti: 'id-1', ...claims };
  const text = [{ alg, kid }, all].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = sign('sha256', Buffer.from(text), alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key);
  return `${text}.${signature.toString('base64url')}`;
}

async function whoIs({ url }: RunningServer, token: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` };
  const answered = await ask(`${url}/apis/authentication.k8s.io/v1/selfsubjectreviews`, { method: 'POST', body: {}, headers });
  return answered.status === 201 ? JSON.parse(answered.text).status.userInfo : answered.status;
}

/** Waits until the server has fetched the issuer's keys. */
async function ready(server: RunningServer, claims: object): Promise<void> {
  for (let i = 0; i < 100 && (await whoIs(server, tokenOf(claims))) === 401; i++)
    await new Promise((resolve) => setTimeout(resolve, 50));
}

beforeAll(async () => {
  issuer = await serveHttps(certificate, answer);
});
afterAll(() => void issuer.server.close());

describe('an issuer configured by flags', () => {
  let server: RunningServer;
  beforeAll(async () => {
    server = await startServer({
      storage: 'memory',
      securePort: 0,
      oidcIssuerUrl: issuer.url,
      oidcClientId: 'tsukube',
      oidcCaFile: fileWith(authority.pem),
      oidcGroupsClaim: 'groups',
      oidcGroupsPrefix: 'oidc:',
      oidcRequiredClaim: { hd: 'example.com' },
    });
    await ready(server, { hd: 'example.com' });
  });
  afterAll(() => server.close());

  it('maps users and groups with prefixes', async () => {
    expect(await whoIs(server, tokenOf({ hd: 'example.com', groups: ['a', 'b'] }))).toEqual({
      username: `${issuer.url}#grace`,
      groups: ['oidc:a', 'oidc:b', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id-1'] },
    });
    expect(await whoIs(server, tokenOf({ hd: 'example.com', groups: 'one' }))).toMatchObject({
      groups: ['oidc:one', 'system:authenticated'],
    });
  });

  it.each<[string, string, unknown]>([
    ['from another endpoint', '/groups', { groups: ['oidc:far', 'oidc:away', 'system:authenticated'] }],
    ['signed with another key', '/stolen', 401],
    ['from an unreachable endpoint', '/nowhere', 401],
  ])('may have groups %s', async (_what, path, expected) => {
    const elsewhere = {
      _claim_names: { groups: 'src' },
      _claim_sources: { src: { endpoint: issuer.url + path, access_token: 'a' } },
    };
    const found = await whoIs(server, tokenOf({ hd: 'example.com', ...elsewhere }));
    if (expected === 401) expect(found).toBe(401);
    else expect(found).toMatchObject(expected as object);
  });

  it('may rotate its keys', async () => {
    const fresh = newIssuerKey('two');
    expect(await whoIs(server, tokenOf({ hd: 'example.com' }, fresh))).toBe(401);
    published = [fresh];
    await expect
      .poll(() => whoIs(server, tokenOf({ hd: 'example.com', sub: `x${Math.random()}` }, fresh)), { timeout: 5000 })
      .not.toBe(401);
  });

  it('is not queried for every unknown key ID', async () => {
    const before = asked;
    const invented = newIssuerKey('invented');
    for (let i = 0; i < 20; i++) expect(await whoIs(server, tokenOf({ hd: 'example.com', sub: String(i) }, invented))).toBe(401);
    expect(asked - before).toBeLessThanOrEqual(3);
  });

  it.each<[string, object]>([
    ['another audience', { aud: 'other', hd: 'example.com' }],
    ['no audience', { aud: undefined, hd: 'example.com' }],
    ['an end in the past', { exp: 1, hd: 'example.com' }],
    ['no end', { exp: undefined, hd: 'example.com' }],
    ['a beginning in the future', { nbf: 9_999_999_999, hd: 'example.com' }],
    ['a required claim of another value', { hd: 'evil.com' }],
    ['without the required claim', {}],
    ['a required claim that is no text', { hd: true }],
    ['a user that is no text', { hd: 'example.com', sub: 7 }],
    ['no user', { hd: 'example.com', sub: undefined }],
    ['groups that are not strings', { hd: 'example.com', groups: [1] }],
  ])('%s', async (_what, claims) => {
    expect(await whoIs(server, tokenOf(claims))).toBe(401);
  });

  it('must use an allowed algorithm', async () => {
    const key = newIssuerKey('ec', 'ES256');
    published = [...published, key];
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await whoIs(server, tokenOf({ hd: 'example.com' }, key))).toBe(401);
  });
});

describe('issuers configured by a file', () => {
  const configuration = (extra: object = {}, anonymous?: object) =>
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [
        {
          issuer: {
            url: issuer.url,
            certificateAuthority: authority.pem,
            audiences: ['tsukube', 'other'],
            audienceMatchPolicy: 'MatchAny',
          },
          claimMappings: {
            username: { expression: 'claims.sub + "@" + claims.team' },
            groups: { expression: 'dyn(claims.roles).map(r, "role:" + r)' },
            uid: { claim: 'sub' },
            extra: [{ key: 'example.org/tenant', valueExpression: 'claims.tenant' }],
          },
          claimValidationRules: [{ expression: 'claims.exp - claims.iat <= 3600', message: 'too long a life' }],
          userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
          ...extra,
        },
      ],
      ...(anonymous && { anonymous }),
    });
  const repeated = (text: string, times: number) => {
    const { jwt, ...others } = JSON.parse(text);
    return JSON.stringify({ ...others, jwt: Array.from({ length: times }, () => jwt[0]) });
  };
  let path: string;
  let server: RunningServer;
  beforeAll(async () => {
    published = [newIssuerKey('file', 'ES256')];
    path = fileWith(configuration({}, { enabled: true, conditions: [{ path: '/livez' }] }));
    server = await startServer({ storage: 'memory', securePort: 0, authenticationConfig: path });
    await ready(server, good);
  });
  afterAll(() => server.close());
  const good = { team: 'navy', roles: ['admiral', ''], tenant: ['us', ''] };

  it('map claims with expressions', async () => {
    expect(await whoIs(server, tokenOf({ ...good, aud: ['other', 'more'] }))).toEqual({
      username: 'grace@navy',
      uid: 'grace',
      groups: ['role:admiral', 'role:', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': ['JTI=id-1'], 'example.org/tenant': ['us'] },
    });
  });

  it.each<[string, object]>([
    ['a violated rule', { ...good, exp: 9_999_999_999 }],
    ['a user that the rules do not allow', { ...good, sub: 'system:admin' }],
    ['an expression that fails', { roles: [], tenant: '' }],
    ['groups of another type', { ...good, roles: 'x' }],
  ])('%s', async (_what, claims) => {
    expect(await whoIs(server, tokenOf(claims))).toBe(401);
  });

  it('limit anonymous access to paths', async () => {
    const agent = new Agent({ rejectUnauthorized: false });
    expect((await ask(`${server.url}/livez`, { agent })).status).toBe(200);
    expect((await ask(`${server.url}/version`, { agent })).status).toBe(401);
    agent.destroy();
  });

  it('are reloaded when the file changes, unless it is invalid', async () => {
    const conditions = { enabled: true, conditions: [{ path: '/livez' }] };
    writeFileSync(path, configuration({ claimMappings: { username: { claim: 'sub', prefix: 'new:' } } }, conditions));
    await expect
      .poll(() => whoIs(server, tokenOf({ sub: `s${Math.random()}` })), { timeout: 5000 })
      .toMatchObject({
        username: expect.stringMatching(/^new:s/),
      });
    writeFileSync(path, configuration({ claimMappings: {} }, conditions));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await whoIs(server, tokenOf({ sub: 'still' }))).toMatchObject({ username: 'new:still' });
  });

  it.each<[string, () => string, string]>([
    ['an unknown field', () => configuration({ clams: {} }), 'unknown field "jwt[0].clams"'],
    [
      'an invalid expression',
      () => configuration({ claimMappings: { username: { expression: 'claims.' } } }),
      'jwt[0].claimMappings.username.expression: Invalid value: "claims.": compilation failed',
    ],
    [
      'a rule that is no truth',
      () => configuration({ userValidationRules: [{ expression: 'user.username' }] }),
      'must evaluate to bool',
    ],
    ['no prefix', () => configuration({ claimMappings: { username: { claim: 'sub' } } }), 'prefix is required when claim is set'],
    [
      'email without its confirmation',
      () => configuration({ claimMappings: { username: { expression: 'claims.email' } } }),
      'claims.email_verified must be used',
    ],
    [
      'our own issuer',
      () => configuration({ issuer: { url: 'https://kubernetes.default.svc', audiences: ['a'] } }),
      'URL must not overlap with disallowed issuers',
    ],
    ['another kind', () => '{"kind":"Other"}', 'no kind "Other" is registered'],
    ['more than 64 issuers', () => repeated(configuration(), 65), 'jwt: Too many: 65: must have at most 64 items'],
  ])('%s stops the start', async (_what, text, message) => {
    const starting = startServer({ storage: 'memory', securePort: 0, authenticationConfig: fileWith(text()) });
    await expect(starting).rejects.toThrow(message);
  });
});
