import { X509Certificate } from 'node:crypto';
import { Agent, request } from 'node:https';
import { connect } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookServer } from './serve-options.ts';
import { serveWebhooks } from './serve-webhooks.ts';
import { mutate, validate } from './webhook.ts';

const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' } };
const review = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  request: { uid: 'u1', operation: 'CREATE', object: pod },
};

let server: WebhookServer;
const releases: (() => void)[] = [];
const errors: unknown[] = [];

beforeAll(async () => {
  const all = [
    mutate({ resource: 'pods', operations: ['CREATE'] }, ({ object }) => {
      object.metadata.labels = { team: 'a' };
    }),
    validate({ name: 'failing', resource: 'pods', operations: ['CREATE'] }, () => {
      throw new Error('broken');
    }),
    validate({ name: 'waiting', resource: 'pods', operations: ['CREATE'] }, () => {
      return new Promise<void>((resolve) => {
        releases.push(resolve);
      });
    }),
  ];
  const limits = { maxBodyBytes: 10_000, maxRequestsInFlight: 2 };
  server = await serveWebhooks(all, { name: 'test', register: false, onError: (error) => errors.push(error), ...limits });
});
afterAll(() => server.close());

interface Sent {
  readonly method?: string;
  readonly path?: string;
  readonly type?: string;
  readonly body?: unknown;
}

function send({ method = 'POST', path = '/mutate/pods', type = 'application/json', body = review }: Sent, to = server) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const headers = { 'content-type': type };
    const agent = new Agent({ ca: to.ca });
    const sent = request(to.url + path, { method, headers, agent }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      resolve({ status: response.statusCode ?? 0, text });
    });
    sent.on('error', reject);
    sent.end(method === 'GET' ? undefined : typeof body === 'string' ? body : JSON.stringify(body));
  });
}

describe('the server', () => {
  it.each(['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'])('answers AdmissionReviews of %s', async (apiVersion) => {
    const { status, text } = await send({ path: '/mutate/pods?timeout=10s', body: { ...review, apiVersion } });
    const patch = Buffer.from(JSON.stringify([{ op: 'add', path: '/metadata/labels', value: { team: 'a' } }])).toString('base64');
    expect(status).toBe(200);
    expect(JSON.parse(text)).toEqual({
      apiVersion,
      kind: 'AdmissionReview',
      response: { uid: 'u1', allowed: true, patchType: 'JSONPatch', patch },
    });
  });

  it.each<[string, Sent, number, RegExp]>([
    ['another path', { path: '/mutate/services' }, 404, /no webhook/],
    ['another method', { method: 'GET' }, 405, /POST/],
    ['another content type', { type: 'text/plain' }, 415, /application\/json/],
    ['a body that is not JSON', { body: '{' }, 400, /not a JSON object/],
    ['a body that is a list', { body: '[]' }, 400, /not a JSON object/],
    ['another kind', { body: { ...review, kind: 'ConversionReview' } }, 400, /expected an AdmissionReview/],
    ['another version', { body: { ...review, apiVersion: 'admission.k8s.io/v2' } }, 400, /expected an AdmissionReview/],
    ['no request', { body: { ...review, request: undefined } }, 400, /no request/],
    ['a body that is too long', { body: { ...review, padding: 'x'.repeat(20_000) } }, 413, /too large/],
    ['deeply nested JSON', { body: `${'['.repeat(5000)}${']'.repeat(5000)}` }, 400, /not a JSON object/],
  ])('refuses %s', async (_, sent, status, message) => {
    expect(await send(sent)).toEqual({ status, text: expect.stringMatching(message) });
  });

  it.each(['/healthz', '/livez', '/readyz'])('is healthy: %s', async (path) => {
    expect(await send({ method: 'GET', path })).toEqual({ status: 200, text: 'ok\n' });
  });

  it('survives a handler that fails, and reports the error', async () => {
    const { status, text } = await send({ path: '/validate/failing' });
    expect({ status, allowed: JSON.parse(text).response.allowed }).toEqual({ status: 200, allowed: false });
    expect(errors).toContainEqual(new Error('broken'));
  });

  it('does not wait longer than the API server', async () => {
    const { text } = await send({ path: '/validate/waiting?timeout=50ms' });
    expect(JSON.parse(text).response).toMatchObject({ allowed: false, status: { code: 504 } });
  });

  it('limits the requests in flight', async () => {
    const waiting = [send({ path: '/validate/waiting' }), send({ path: '/validate/waiting' })];
    await expect.poll(async () => (await send({})).status).toBe(429);
    for (const release of releases) release();
    await Promise.all(waiting);
    expect((await send({})).status).toBe(200);
  });
});

describe('closing', () => {
  it('finishes requests in flight', async () => {
    const { webhook, started, finish } = stoppedWebhook();
    const own = await serveWebhooks([webhook], { name: 'own', register: false });
    const answered = send({ path: '/validate/pods' }, own);
    await started;
    const closed = own.close();
    finish();
    expect((await answered).status).toBe(200);
    await closed;
    await own.close();
    await expect(send({ method: 'GET', path: '/healthz' }, own)).rejects.toThrow();
  });

  it('does not wait for ever', async () => {
    const { webhook, started } = stoppedWebhook();
    const own = await serveWebhooks([webhook], { name: 'own', register: false, shutdownTimeoutMs: 50, onError: () => {} });
    const answered = expect(send({ path: '/validate/pods' }, own)).rejects.toThrow();
    await started;
    await own.close();
    await answered;
  });
});

/** A webhook that answers on demand. */
function stoppedWebhook() {
  let [begin, finish] = [() => {}, () => {}];
  const started = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const webhook = validate({ resource: 'pods', operations: ['*'] }, () => {
    begin();
    return finished;
  });
  return { webhook, started, finish: () => finish() };
}

describe('certificates', () => {
  it('are renewed while the server runs, by a CA that clients of the old one trust', async () => {
    let now = new Date();
    await using own = await serveWebhooks([], { name: 'own', register: false, now: () => now });
    const first = await servedCertificate(own.port);
    await own.refresh();
    expect(await servedCertificate(own.port)).toEqual(first);
    const ca = own.ca;
    now = new Date(now.getTime() + 300 * 24 * 3_600_000);
    await own.refresh();
    const second = await servedCertificate(own.port);
    expect(second).not.toEqual(first);
    expect(new X509Certificate(second).verify(new X509Certificate(ca).publicKey)).toBe(true);
  });

  it('cover the hosts of URL and service', async () => {
    const url = 'https://hooks.example.com:9443/base';
    await using own = await serveWebhooks([], { name: 'own', register: false, url });
    const certificate = new X509Certificate(await servedCertificate(own.port));
    expect(['localhost', 'hooks.example.com'].map((host) => certificate.checkHost(host))).not.toContain(undefined);
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
  });
});

function servedCertificate(port: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerCertificate().raw);
      socket.end();
    });
    socket.on('error', reject);
  });
}
