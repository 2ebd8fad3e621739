import { createPrivateKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { distinguishedName, type KeyPair } from '@tsukube/machinery/pki';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, startServer } from '../start-server.ts';
import { ask, fileWith, newAuthority, newCertificate, newIntermediate, type Question } from './testing.ts';

const first = newAuthority('first');
const second = newAuthority('second');
const proxies = newAuthority('authenticating proxies');
const stranger = newAuthority('stranger');
const clientCaFile = fileWith(first.pem + second.pem);
const proxyCaFile = fileWith(proxies.pem);

let server: RunningServer;
beforeAll(async () => {
  server = await startServer({
    storage: 'memory',
    securePort: 0,
    clientCaFile,
    requestheaderClientCaFile: proxyCaFile,
    requestheaderAllowedNames: ['front'],
    requestheaderUsernameHeaders: ['X-Remote-User'],
    requestheaderUidHeaders: ['X-Remote-Uid'],
    requestheaderGroupHeaders: ['X-Remote-Group'],
    requestheaderExtraHeadersPrefix: ['X-Remote-Extra-'],
  });
});
afterAll(() => server.close());

async function whoIs(question: Question): Promise<unknown> {
  const { status, text } = await ask(`${server.url}/apis/authentication.k8s.io/v1/selfsubjectreviews`, {
    method: 'POST',
    body: {},
    ...question,
  });
  return status === 201 ? JSON.parse(text).status.userInfo : status;
}

describe('client certificates', () => {
  it('of any trusted CA identify user and groups', async () => {
    const client = newCertificate(second, { commonName: 'mia', organizations: ['dev', 'ops'] });
    expect(await whoIs({ client })).toMatchObject({
      username: 'mia',
      groups: ['dev', 'ops', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/credential-id': [expect.stringMatching(/^X509SHA256=[0-9a-f]{64}$/)] },
    });
  });

  it('may be issued by an intermediate CA', async () => {
    const { pem, authority } = newIntermediate(first, 'between');
    const { certificate, key } = newCertificate(authority, { commonName: 'ina' });
    expect(await whoIs({ client: { certificate: certificate + pem, key } })).toMatchObject({ username: 'ina' });
    expect(await whoIs({ client: { certificate, key } })).toBe(401);
  });

  it.each<[string, KeyPair]>([
    ['of an unknown CA', newCertificate(stranger, { commonName: 'mia' })],
    ['that have expired', newCertificate(first, { commonName: 'mia' }, { for: 'client' }, -2, -1)],
    ['that are not valid yet', newCertificate(first, { commonName: 'mia' }, { for: 'client' }, 1, 2)],
    ['that are for servers', newCertificate(first, { commonName: 'mia' }, { for: 'server', hosts: ['mia'] })],
    ['issued by a certificate that is not a CA', leafIssued()],
    ['of a proxy, without user headers', newCertificate(proxies, { commonName: 'front' })],
  ])('%s are refused', async (_what, client) => {
    expect(await whoIs({ client })).toBe(401);
    expect((await ask(`${server.url}/healthz`, { client })).status).toBe(401);
  });

  function leafIssued(): KeyPair {
    const leaf = newCertificate(first, { commonName: 'leaf' });
    const issuer = {
      subject: distinguishedName({ commonName: 'leaf' }),
      key: createPrivateKey(leaf.key),
      keyIdentifier: undefined,
    };
    const { certificate, key } = newCertificate({ ...first, issuer: () => issuer }, { commonName: 'admin' });
    return { certificate: certificate + leaf.certificate, key };
  }

  it('expire on open connections', async () => {
    const client = newCertificate(first, { commonName: 'brief' }, { for: 'client' }, -1, 2 / 3600);
    const agent = new Agent({
      keepAlive: true,
      maxSockets: 1,
      rejectUnauthorized: false,
      cert: client.certificate,
      key: client.key,
    });
    expect(await whoIs({ agent })).toMatchObject({ username: 'brief' });
    await new Promise((resolve) => setTimeout(resolve, 3100));
    expect(await whoIs({ agent })).toBe(401);
    agent.destroy();
  }, 10_000);
});

describe('authenticating proxies', () => {
  const front = newCertificate(proxies, { commonName: 'front' });
  const headers = {
    'x-remote-user': 'ada',
    'x-remote-uid': '42',
    'x-remote-group': ['math', 'poetry'],
    'x-remote-extra-scopes': ['read', 'write'],
    'x-remote-extra-acme.com%2fproject': 'engine',
  };

  it('set the user by headers', async () => {
    expect(await whoIs({ client: front, headers })).toEqual({
      username: 'ada',
      uid: '42',
      groups: ['math', 'poetry', 'system:authenticated'],
      extra: { scopes: ['read', 'write'], 'acme.com/project': ['engine'] },
    });
  });

  it.each<[string, KeyPair | undefined, number]>([
    ['the right authority, but the wrong name', newCertificate(proxies, { commonName: 'back' }), 401],
    ['an ordinary user', newCertificate(first, { commonName: 'mia' }), 403],
    ['a user with the name of the proxy', newCertificate(first, { commonName: 'front' }), 403],
    ['an anonymous client', undefined, 403],
    ['a client of an unknown CA', newCertificate(stranger, { commonName: 'front' }), 401],
  ])('%s cannot', async (_who, client, status) => {
    const claim = { 'x-remote-user': 'admin', 'x-remote-group': 'system:masters' };
    const answer = await ask(`${server.url}/api/v1/secrets`, { ...(client && { client }), headers: claim });
    expect(answer.status).toBe(status);
    expect(answer.text).not.toContain('User \\"admin\\"');
  });
});

it('CA files are reloaded when they change', async () => {
  const late = newAuthority('late');
  const client = newCertificate(late, { commonName: 'lea' });
  expect(await whoIs({ client })).toBe(401);
  const gone = newCertificate(second, { commonName: 'sam' });
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false, cert: gone.certificate, key: gone.key });
  expect(await whoIs({ agent })).toMatchObject({ username: 'sam' });
  writeFileSync(clientCaFile, first.pem + late.pem);
  await expect.poll(() => whoIs({ client }), { timeout: 5000 }).toMatchObject({ username: 'lea' });
  expect(await whoIs({ agent })).toBe(401);
  writeFileSync(clientCaFile, 'nothing of use');
  await new Promise((resolve) => setTimeout(resolve, 1500));
  expect(await whoIs({ client })).toMatchObject({ username: 'lea' });
  agent.destroy();
}, 15_000);
