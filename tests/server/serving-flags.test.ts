import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectHttp2 } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { memoryFiles } from '@tsukube/machinery/pki';
import { startServer } from '@tsukube/server';
import { afterAll, describe, expect, it } from 'vitest';
import { openPki } from '../../packages/server/src/pki/pki.ts';
import { clientFor } from '../support/client.ts';
import { configMap, newNamespace, useServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-serving-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Creates a certificate for the hosts and returns its files in the form of --tls-sni-cert-key. */
function pairFor(name: string, hosts: readonly string[]) {
  const { serving } = openPki(memoryFiles(), { hosts, clientKeyAlgorithm: 'ecdsa' }, new Date());
  const files = { cert: join(folder, `${name}.crt`), key: join(folder, `${name}.key`) };
  writeFileSync(files.cert, serving.certificate);
  writeFileSync(files.key, serving.key);
  return { ...files, flag: `${files.cert},${files.key}`, certificate: serving.certificate.trim() };
}

function dial(url: string, options: object = {}): Promise<TLSSocket> {
  const { hostname: host, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ...options }, () => resolve(socket));
    socket.on('error', reject);
  });
}

async function shown(url: string, servername?: string): Promise<string> {
  const socket = await dial(url, { servername });
  const certificate = socket.getPeerX509Certificate()?.toString().trim() ?? '';
  socket.destroy();
  return certificate;
}

describe('--cors-allowed-origins', () => {
  const under = useServer({ corsAllowedOrigins: ['//localhost(:|$)', '^https://.*\\.example\\.com$'] });
  const allowed = {
    'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
    'access-control-allow-headers':
      'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
    'access-control-expose-headers': 'Date',
    'access-control-allow-credentials': 'true',
  };

  it.each(['http://localhost:8080', 'https://localhost', 'https://a.example.com'])('allows %s', async (origin) => {
    const { status, headers } = await under.client.get('/api/v1/namespaces/default', { origin });
    expect(status).toBe(200);
    expect(headers).toMatchObject({ 'access-control-allow-origin': origin, ...allowed });
  });

  it('applies to errors, too', async () => {
    const { status, headers } = await under.client.get('/api/v1/namespaces/none', { origin: 'http://localhost' });
    expect(status).toBe(404);
    expect(headers).toMatchObject({ 'access-control-allow-origin': 'http://localhost', ...allowed });
  });

  it.each(['http://localhost.evil.org', 'https://a.example.com:444', 'null'])('does not allow %s', async (origin) => {
    const { headers } = await under.client.get('/version', { origin });
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it('answers a preflight without credentials, over HTTP/1.1 and HTTP/2', async () => {
    const { status, headers, text } = await under.client.send('OPTIONS', '/api/v1/pods', undefined, {
      origin: 'http://localhost',
    });
    expect([status, text]).toEqual([204, '']);
    expect(headers).toMatchObject({ 'access-control-allow-origin': 'http://localhost', ...allowed });
    expect(headers).not.toHaveProperty('content-type');
    expect(headers).not.toHaveProperty('content-length');
    const session = connectHttp2(under.server.url, { rejectUnauthorized: false });
    const stream = session.request({ ':method': 'OPTIONS', ':path': '/api/v1/pods', origin: 'http://localhost' });
    const answer = await new Promise<object>((resolve) => stream.on('response', resolve));
    expect(answer).toMatchObject({ ':status': 204, 'access-control-allow-origin': 'http://localhost' });
    session.destroy();
  });

  it.each([
    [['example.com'], 'regular expression does not pin to start/end of host in the origin header'],
    [['//example(:|$'], 'has an invalid regular expression: '],
  ])('refuses %j', async (corsAllowedOrigins, message) => {
    await expect(startServer({ storage: 'memory', corsAllowedOrigins })).rejects.toThrow(message);
  });
});

describe('--strict-transport-security-directives', () => {
  it('are sent with every response', async () => {
    const strictTransportSecurityDirectives = ['max-age=31536000', 'includeSubDomains'];
    const server = await startServer({ storage: 'memory', securePort: 0, strictTransportSecurityDirectives });
    const client = clientFor(server.kubeconfig);
    for (const path of ['/version', '/api/v1/namespaces/none'])
      expect((await client.get(path)).headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
    client.close();
    await server.close();
    await expect(startServer({ strictTransportSecurityDirectives: ['always'] })).rejects.toThrow('allowed values: max-age');
  });
});

describe('--tls-sni-cert-key', () => {
  it('selects the certificate by SNI, and reloads the files', async () => {
    const [first, second, explicit] = [
      pairFor('first', ['a.test', '*.wild.test']),
      pairFor('second', ['a.test', 'b.test']),
      pairFor('explicit', ['ignored.test']),
    ];
    const tlsSniCertKey = [first.flag, second.flag, `${explicit.flag}:b.test,c.test`];
    const server = await startServer({ storage: 'memory', securePort: 0, tlsSniCertKey });
    const own = await shown(server.url);
    expect(await shown(server.url, 'a.test')).toBe(first.certificate);
    expect(await shown(server.url, 'x.wild.test')).toBe(first.certificate);
    expect(await shown(server.url, 'B.test')).toBe(explicit.certificate);
    expect(await shown(server.url, 'c.test')).toBe(explicit.certificate);
    for (const name of ['ignored.test', 'x.y.wild.test', 'elsewhere.test']) expect(await shown(server.url, name)).toBe(own);
    const renewed = pairFor('first', ['a.test']);
    await expect.poll(() => shown(server.url, 'a.test'), { timeout: 15_000 }).toBe(renewed.certificate);
    await server.close();
  });

  it.each([
    ['cert', 'expected comma separated certificate and key file paths'],
    ['cert,key:', 'empty names list is not allowed'],
    ['/none.crt,/none.key', '"/none.crt" cannot be read'],
  ])('refuses %s', async (value, message) => {
    await expect(startServer({ storage: 'memory', tlsSniCertKey: [value] })).rejects.toThrow(`--tls-sni-cert-key: ${message}`);
  });
});

describe('--tls-cert-file', () => {
  it('is reloaded when it changes', async () => {
    const pair = pairFor('given', ['127.0.0.1']);
    const files = { tlsCertFile: pair.cert, tlsPrivateKeyFile: pair.key };
    const server = await startServer({ storage: 'memory', securePort: 0, ...files });
    expect(await shown(server.url)).toBe(pair.certificate);
    const renewed = pairFor('given', ['127.0.0.1']);
    await expect.poll(() => shown(server.url), { timeout: 15_000 }).toBe(renewed.certificate);
    await server.close();
  });
});

describe('--disable-http2-serving and --tls-curve-preferences', () => {
  it('select protocol and key exchange', async () => {
    const server = await startServer({
      storage: 'memory',
      securePort: 0,
      disableHttp2Serving: true,
      tlsCurvePreferences: ['24'],
    });
    const socket = await dial(server.url, { ALPNProtocols: ['h2', 'http/1.1'] });
    expect(socket.alpnProtocol).toBe('http/1.1');
    expect(socket.getEphemeralKeyInfo()).toMatchObject({ name: expect.stringMatching(/384/) });
    socket.destroy();
    await server.close();
    await expect(startServer({ tlsCurvePreferences: ['7'] })).rejects.toThrow('has the unknown curve 7');
  });
});

describe('--external-hostname', () => {
  it.each([
    ['k8s.example.com', (port: string) => `k8s.example.com:${port}`],
    ['k8s.example.com:443', () => 'k8s.example.com:443'],
    ['fd00::1', (port: string) => `[fd00::1]:${port}`],
  ])('%s is in discovery and OpenID documents', async (externalHostname, address) => {
    const serviceAccountIssuer = ['https://issuer.example.com'];
    const server = await startServer({ storage: 'memory', securePort: 0, externalHostname, serviceAccountIssuer });
    const client = clientFor(server.kubeconfig);
    const expected = address(new URL(server.url).port);
    expect((await client.get('/api')).body.serverAddressByClientCIDRs[0].serverAddress).toBe(expected);
    expect((await client.get('/.well-known/openid-configuration')).body.jwks_uri).toBe(`https://${expected}/openid/v1/jwks`);
    client.close();
    await server.close();
  });
});

describe('--shutdown-send-retry-after', () => {
  it('answers 429 until requests in flight are done, then closes the port', async () => {
    const server = await startServer({ storage: 'memory', securePort: 0, shutdownSendRetryAfter: true });
    const client = clientFor(server.kubeconfig);
    const path = await newNamespace(client);
    // Waits for a future revision until its deadline.
    const slow = client.get(`${path}?resourceVersion=999999&resourceVersionMatch=NotOlderThan`);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const closing = server.close();
    const refused = await client.send('POST', path, configMap('late'));
    expect(refused).toMatchObject({ status: 429, headers: { 'retry-after': '5' } });
    expect(refused.text).toBe('The apiserver is shutting down, please try again later.\n');
    expect((await client.get('/livez')).status).toBe(200);
    expect((await slow).status).toBe(504);
    await closing;
    await expect(client.get('/livez')).rejects.toThrow();
    client.close();
  });
});

describe('--shutdown-watch-termination-grace-period', () => {
  it('spreads the end of watches over the period', async () => {
    const server = await startServer({ storage: 'memory', securePort: 0, shutdownWatchTerminationGracePeriod: 1000 });
    const client = clientFor(server.kubeconfig);
    const path = await newNamespace(client);
    const watches = await Promise.all(Array.from({ length: 5 }, () => client.watch(`${path}?watch=1`)));
    const began = performance.now();
    const ends = watches.map((watch) => watch.ended().then(() => performance.now() - began));
    await Promise.all([server.close(), ...ends]);
    const times = (await Promise.all(ends)).sort((a, b) => a - b);
    expect(times[0]).toBeLessThan(400);
    expect(times[4]).toBeGreaterThan(700);
    client.close();
  });
});
