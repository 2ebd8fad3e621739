import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AdmissionWebhook, patchOf, type Reviewer, startAdmissionWebhook } from '../support/admission-webhook.ts';
import type { Any, Reply } from '../support/client.ts';
import { useServer } from '../support/server.ts';
import { holdOf } from './event-loop.ts';

const group = '/apis/admissionregistration.k8s.io/v1';
const maps = '/api/v1/namespaces/default/configmaps';
const mebibyte = 1 << 20;

const never = () => undefined;
/** A response whose body has the given size, sent as fast as the server reads. */
const huge =
  (bytes: number): Reviewer =>
  (_, { response }) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const chunk = Buffer.alloc(mebibyte, ' ');
    let left = bytes / mebibyte;
    const write = () => {
      while (left-- > 0) if (!response.write(chunk)) return void response.once('drain', write);
      response.end();
    };
    write();
  };
const trickling: Reviewer = (_, { response }) => {
  response.writeHead(200, { 'content-type': 'application/json' });
  const timer = setInterval(() => response.write(' '), 50);
  response.on('close', () => clearInterval(timer));
};
const patching =
  (operations: unknown): Reviewer =>
  () => ({ allowed: true, ...patchOf(operations) });
/** Each operation doubles the object. */
const doubling = Array.from({ length: 64 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/x${i}` }));
const deepPatch = `[{"op":"add","path":"/data","value":${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}}]`;

const reviewers: Readonly<Record<string, Reviewer>> = {
  '/allow': () => ({ allowed: true }),
  '/deny': () => ({ allowed: false }),
  '/hang': never,
  '/redirect': (_, { response }) => void response.writeHead(307, { location: 'https://localhost:1/allow' }).end(),
  '/redirect-as-get': (_, { response }) => void response.writeHead(302, { location: '/allow' }).end(),
  '/redirect-forever': (_, { response }) => void response.writeHead(308, { location: '/redirect-forever' }).end(),
  '//slashes': (_, { response }) => void response.writeHead(307, { location: '/deny?timeout=1s' }).end(),
  '/huge': huge(256 * mebibyte),
  '/trickle': trickling,
  '/half': (_, { response }) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 }).write('{"apiVersion":');
    setTimeout(() => response.destroy(), 20);
  },
  '/huge-code': () => ({ allowed: false, status: { code: 123_456, message: 'm' } }),
  '/negative-code': () => ({ allowed: false, status: { code: -1, message: 'm' } }),
  '/header-in-warning': () => ({ allowed: true, warnings: ['a\r\nx-injected: yes', '\0', 'x'.repeat(100_000)] }),
  '/header-in-message': () => ({ allowed: false, status: { message: 'a\r\nx-injected: yes', reason: 'r\r\n' } }),
  '/pollute': patching([{ op: 'add', path: '/__proto__/polluted', value: 'yes' }]),
  '/pollute-data': patching([
    { op: 'add', path: '/data/__proto__', value: 'yes' },
    { op: 'add', path: '/metadata/labels', value: inheritedNames() },
  ]),
  '/pollute-constructor': patching([{ op: 'add', path: '/constructor/prototype/polluted', value: 'yes' }]),
  '/many-operations': patching(Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/data/a', value: 'b' }))),
  '/doubling': patching(doubling),
  '/deep': () => ({ allowed: true, patchType: 'JSONPatch', patch: Buffer.from(deepPatch).toString('base64') }),
  '/large-patch': patching([{ op: 'add', path: '/data/large', value: 'x'.repeat(4 * mebibyte) }]),
  '/many-fields': patching([
    { op: 'add', path: '/data', value: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, ''])) },
  ]),
  '/wrong-uid': (_, { response, review: { apiVersion, kind } }) =>
    void response.end(JSON.stringify({ apiVersion, kind, response: { uid: 'other', allowed: true } })),
  '/mark': ({ object }) => ({
    allowed: true,
    warnings: ['marked'],
    ...patchOf([{ op: 'add', path: '/metadata/annotations', value: { ...object.metadata.annotations, marked: 'yes' } }]),
  }),
};

/** Names of properties that every object inherits. */
function inheritedNames(): unknown {
  return { constructor: 'b', toString: 'c' };
}

describe('a hostile or broken webhook', () => {
  const t = useServer();
  let webhook: AdmissionWebhook;
  beforeAll(async () => {
    webhook = await startAdmissionWebhook(reviewers);
  });
  afterAll(() => webhook.close());

  const hook = (path: string, more: Any = {}, name = 'w.example.com') => ({
    name,
    clientConfig: webhook.clientConfig(path),
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    timeoutSeconds: 1,
    rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['configmaps'] }],
    ...more,
  });

  /** Runs a request while the webhooks are registered. */
  async function through<T>(kind: 'mutating' | 'validating', webhooks: readonly Any[], request: () => Promise<T>): Promise<T> {
    const path = `${group}/${kind}webhookconfigurations`;
    const { status, text } = await t.client.send('POST', path, { metadata: { name: 'hostile' }, webhooks });
    if (status !== 201) throw new Error(text);
    try {
      return await request();
    } finally {
      await t.client.send('DELETE', `${path}/hostile`);
    }
  }

  let count = 0;
  const create = (query = '', data: Any = { a: 'b' }): Promise<Reply> =>
    t.client.send('POST', `${maps}${query}`, { metadata: { name: `m${count++}`, labels: { a: 'b' } }, data });
  const pollution = (): unknown => ({}) as Any;

  const failed = (reason: string) => `Internal error occurred: failed calling webhook "w.example.com": ${reason}`;

  it.each([
    ['/hang', /Post ".*\/hang\?timeout=1s": context deadline exceeded/],
    ['/trickle', /context deadline exceeded/],
    ['/redirect', /failed to call webhook: the server responded with the status code 307 but did not return more information/],
    ['/redirect-as-get', /the server responded with the status code 302 but did not return more information/],
    ['/redirect-forever', /the server responded with the status code 308 but did not return more information/],
    ['/huge', /the response is larger than 8388608 bytes/],
    ['/half', /\/half\?timeout=1s": EOF/],
    ['/wrong-uid', /expected response.uid=".*", got "other"/],
  ])('%s: fails closed or open, in bounded time', async (path, message) => {
    for (const kind of ['mutating', 'validating'] as const) {
      const begun = performance.now();
      const closed = await through(kind, [hook(path)], () => create());
      expect([closed.status, closed.body.reason]).toEqual([500, 'InternalError']);
      expect(closed.body.message).toMatch(message);
      const open = await through(kind, [hook(path, { failurePolicy: 'Ignore' })], () => create());
      expect(open.status).toBe(201);
      expect(performance.now() - begun).toBeLessThan(10_000);
    }
    expect(webhook.requests.some((request) => path.startsWith('/redirect') && request.path === '/allow')).toBe(false);
  });

  it('redirects within the server of the webhook are followed', async () => {
    const { status, body } = await through('validating', [hook('//slashes')], () => create());
    expect([status, body.message]).toEqual([400, 'admission webhook "w.example.com" denied the request without explanation']);
  });

  it('refused connections and a plain HTTP server are failures', async () => {
    const plain = createServer((socket) => socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n'));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    const { port } = plain.address() as AddressInfo;
    const config = (at: number) => ({ url: `https://127.0.0.1:${at}/x`, caBundle: webhook.caBundle });
    for (const [at, message] of [
      [port, 'http: server gave HTTP response to HTTPS client'],
      [1, 'connect: connection refused'],
    ] as const) {
      const { status, body } = await through('validating', [hook('', { clientConfig: config(at) })], () => create());
      expect(status).toBe(500);
      expect(body.message).toContain(message);
    }
    plain.close();
  });

  it('certificates of another authority are not trusted', async () => {
    const { clientConfig } = hook('/allow');
    const { status, body } = await through('validating', [hook('', { clientConfig: { url: clientConfig.url } })], () => create());
    expect([status, body.message]).toEqual([
      500,
      failed(
        `failed to call webhook: Post "${clientConfig.url}?timeout=1s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      ),
    ]);
  });

  it('fifteen mutating webhooks that hang end within the deadline of the request', async () => {
    const hooks = Array.from({ length: 15 }, (_, i) =>
      hook('/hang', { failurePolicy: 'Ignore', timeoutSeconds: 30 }, `w${i}.example.com`),
    );
    const begun = performance.now();
    const { status, body } = await through('mutating', hooks, () => create('?timeout=2s'));
    expect(performance.now() - begun).toBeLessThan(4_000);
    expect([status, body.reason]).toEqual([504, 'Timeout']);
  });

  it('fifteen validating webhooks that hang are awaited together', async () => {
    const hooks = Array.from({ length: 15 }, (_, i) => hook('/hang', { failurePolicy: 'Ignore' }, `w${i}.example.com`));
    const begun = performance.now();
    const { status } = await through('validating', hooks, () => create());
    expect(performance.now() - begun).toBeLessThan(4_000);
    expect(status).toBe(201);
  });

  it('a call ends when its client leaves', async () => {
    const before = webhook.requests.length;
    await through('validating', [hook('/hang', { timeoutSeconds: 30 })], async () => {
      const abandoned = t.client.send('POST', `${maps}?timeout=1s`, { metadata: { name: `m${count++}` } });
      expect((await abandoned).status).toBe(504);
    });
    expect(webhook.requests.length).toBe(before + 1);
  });

  it.each([
    ['/huge-code', 500],
    ['/negative-code', 400],
    ['/header-in-message', 400],
  ])('%s: the status of a rejection is sanitized', async (path, code) => {
    const { status, headers, body } = await through('validating', [hook(path)], () => create());
    expect([status, body.code, body.status]).toEqual([code, code, 'Failure']);
    expect(headers['x-injected']).toBeUndefined();
  });

  it('warnings cannot inject headers', async () => {
    const { status, headers } = await through('validating', [hook('/header-in-warning')], () => create());
    expect(status).toBe(201);
    expect(headers['x-injected']).toBeUndefined();
    expect(String(headers.warning).length).toBeLessThan(10_000);
  });

  it.each(['/pollute', '/pollute-constructor'])('%s: a patch does not reach prototypes', async (path) => {
    const { status } = await through('mutating', [hook(path)], () => create());
    expect(status).toBe(500);
    expect((pollution() as Any).polluted).toBeUndefined();
  });

  it('keys like __proto__ are data', async () => {
    const { status, text } = await through('mutating', [hook('/pollute-data')], () => create());
    expect(status).toBe(201);
    expect(text).toContain('"__proto__":"yes"');
    expect(Object.hasOwn(Object.prototype, 'a')).toBe(false);
  });

  it.each([
    ['/many-operations', 500],
    ['/doubling', 500],
    ['/deep', 500],
    ['/large-patch', 422],
    ['/many-fields', 201],
  ])('%s: a patch is bounded', async (path, code) => {
    const { result, hold } = await holdOf(() => through('mutating', [hook(path, { timeoutSeconds: 20 })], () => create()));
    expect(result.status, result.text.slice(0, 300)).toBe(code);
    expect(hold.longest).toBeLessThan(500);
  });

  it('a configuration that rejects everything does not prevent its own repair', async () => {
    const all = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'] }];
    const name = '/hostile';
    for (const kind of ['mutating', 'validating'] as const) {
      const path = `${group}/${kind}webhookconfigurations`;
      await through(kind, [hook('/deny', { rules: all })], async () => {
        expect((await create()).status).toBe(400);
        expect((await t.client.send('DELETE', '/api/v1/namespaces/default')).status).toBeGreaterThanOrEqual(400);
        const merge = { 'content-type': 'application/merge-patch+json' };
        const repaired = await t.client.send('PATCH', path + name, { webhooks: [hook('/allow', { rules: all })] }, merge);
        expect(repaired.status).toBe(200);
        expect((await create()).status).toBe(201);
        expect((await t.client.send('PATCH', path + name, { webhooks: [hook('/deny', { rules: all })] }, merge)).status).toBe(
          200,
        );
        for (const policy of ['validatingadmissionpolicies', 'mutatingadmissionpolicies'])
          expect((await t.client.send('DELETE', `${group}/${policy}/none`)).status).toBe(404);
      });
    }
  });

  it('a heavy request in a worker thread is admitted by webhooks too', async () => {
    const data = Object.fromEntries(Array.from({ length: 6_000 }, (_, i) => [`k${i}`, 'v'.repeat(20)]));
    const { status, headers, body } = await through('mutating', [hook('/mark')], () => create('', data));
    expect([status, headers.warning, body.metadata.annotations]).toEqual([201, '299 - "marked"', { marked: 'yes' }]);
    const denied = await through('validating', [hook('/deny')], () => create('', data));
    expect([denied.status, denied.body.message]).toEqual([
      400,
      'admission webhook "w.example.com" denied the request without explanation',
    ]);
  });

  it('the server is alive after all of them', async () => {
    expect((await create()).status).toBe(201);
    const metrics = (await t.client.get('/metrics')).text;
    expect(metrics).toMatch(/apiserver_admission_webhook_rejection_count\{[^}]*error_type="calling_webhook_error"[^}]*\} \d+/);
    expect(metrics).toMatch(/apiserver_admission_webhook_fail_open_count\{name="w.example.com",type="validating"\} \d+/);
  });
});
