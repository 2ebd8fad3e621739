import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../start-server.ts';
import { adminOf, ask, fileWith, newAuthority, newCertificate, serveHttps } from './testing.ts';

const authority = newAuthority('webhook');
const certificate = newCertificate(authority, { commonName: 'webhook' }, { for: 'server', hosts: ['127.0.0.1'] });
const questions: { readonly apiVersion: string; readonly spec: { readonly token: string; readonly audiences?: string[] } }[] = [];

function answer(_path: string, body: string) {
  const question = JSON.parse(body);
  questions.push(question);
  const { token } = question.spec;
  if (token === 'broken') return { status: 400, body: { kind: 'Status' } };
  if (token === 'refused') return { body: { ...question, status: { authenticated: false, error: 'not today' } } };
  if (token === 'elsewhere')
    return { body: { ...question, status: { authenticated: true, audiences: ['x'], user: { username: 'eva' } } } };
  if (token !== 'known') return { body: { ...question, status: { authenticated: false } } };
  const user = { username: 'hook', uid: '7', groups: ['hooks'], extra: { scope: ['all'] } };
  return { body: { ...question, status: { authenticated: true, user } } };
}

let server: RunningServer;
let webhook: Awaited<ReturnType<typeof serveHttps>>;
beforeAll(async () => {
  webhook = await serveHttps(certificate, answer);
  const kubeconfig = fileWith(
    JSON.stringify({
      clusters: [
        {
          name: 'c',
          cluster: { server: webhook.url, 'certificate-authority-data': Buffer.from(authority.pem).toString('base64') },
        },
      ],
      contexts: [{ name: 'x', context: { cluster: 'c' } }],
      'current-context': 'x',
    }),
  );
  server = await startServer({
    storage: 'memory',
    securePort: 0,
    authenticationTokenWebhookConfigFile: kubeconfig,
    authenticationTokenWebhookVersion: 'v1',
    enableBootstrapTokenAuth: true,
    anonymousAuth: false,
    tokenAuthFile: fileWith('file-token,carl,9,"x,y"\n'),
  });
});
afterAll(async () => {
  await server.close();
  webhook.server.close();
});

async function whoIs(token?: string): Promise<unknown> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { status, text } = await ask(server.url + path, { method: 'POST', body: {}, headers });
  return status === 201 ? JSON.parse(text).status.userInfo : status;
}

it('requests without credentials are rejected if anonymous access is off', async () => {
  expect(await whoIs()).toBe(401);
  expect((await ask(`${server.url}/healthz`)).status).toBe(401);
});

it('tokens of the file have UID and groups', async () => {
  expect(await whoIs('file-token')).toEqual({ username: 'carl', uid: '9', groups: ['x', 'y', 'system:authenticated'] });
});

describe('a webhook', () => {
  it('is called once per token', async () => {
    for (let i = 0; i < 3; i++) {
      expect(await whoIs('known')).toEqual({
        username: 'hook',
        uid: '7',
        groups: ['hooks', 'system:authenticated'],
        extra: { scope: ['all'] },
      });
    }
    const about = questions.filter(({ spec }) => spec.token === 'known');
    expect(about).toHaveLength(1);
    expect(about[0]).toMatchObject({
      apiVersion: 'authentication.k8s.io/v1',
      spec: { audiences: ['https://kubernetes.default.svc'] },
    });
  });

  it.each(['refused', 'unknown', 'elsewhere', 'broken'])('%s', async (token) => {
    expect(await whoIs(token)).toBe(401);
    expect(await whoIs(token)).toBe(401);
    const times = questions.filter(({ spec }) => spec.token === token).length;
    expect(times).toBe(token === 'unknown' || token === 'elsewhere' ? 1 : 2);
  });

  it('is not called for tokens known to other authenticators', async () => {
    await whoIs('file-token');
    expect(questions.some(({ spec }) => spec.token === 'file-token')).toBe(false);
  });
});

describe('bootstrap tokens', () => {
  const text = (value: string) => Buffer.from(value).toString('base64');
  const create = (id: string, data: Record<string, string>, type = 'bootstrap.kubernetes.io/token') =>
    ask(`${server.url}/api/v1/namespaces/kube-system/secrets`, {
      method: 'POST',
      client: adminOf(server.kubeconfig),
      body: {
        metadata: { name: `bootstrap-token-${id}` },
        type,
        data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, text(value)])),
      },
    });
  const good = (id: string) => ({
    'token-id': id,
    'token-secret': 'abcdef0123456789',
    'usage-bootstrap-authentication': 'true',
    'auth-extra-groups': 'system:bootstrappers:kubeadm:default-node-token',
  });

  it('authenticate new nodes', async () => {
    expect((await create('aaaaaa', good('aaaaaa'))).status).toBe(201);
    expect(await whoIs('aaaaaa.abcdef0123456789')).toEqual({
      username: 'system:bootstrap:aaaaaa',
      groups: ['system:bootstrappers', 'system:bootstrappers:kubeadm:default-node-token', 'system:authenticated'],
    });
    expect(await whoIs('aaaaaa.abcdef012345678x')).toBe(401);
  });

  it.each<[string, string, object]>([
    ['expired', 'bbbbbb', { expiration: '2020-01-01T00:00:00Z' }],
    ['an invalid expiration', 'cccccc', { expiration: 'soon' }],
    ['not for authentication', 'dddddd', { 'usage-bootstrap-authentication': 'false' }],
    ['another name', 'eeeeee', { 'token-id': 'ffffff' }],
    ['a group without the bootstrap prefix', 'gggggg', { 'auth-extra-groups': 'system:masters' }],
  ])('%s', async (_what, id, changes) => {
    await create(id, { ...good(id), ...changes });
    expect(await whoIs(`${id}.abcdef0123456789`)).toBe(401);
  });
});
