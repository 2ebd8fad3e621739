import { createServer, type Server, type ServerResponse } from 'node:http';
import { Agent } from 'node:https';
import type { AddressInfo } from 'node:net';
import { KubeClient } from '@tsukube/client';
import { type DelegatedAuthentication, delegatedAuthentication, delegatedAuthorization } from '@tsukube/sdk';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { certificate } from '../support/certificates.ts';
import type { Any } from '../support/client.ts';
import { get, startWhoami, type WhoamiServer } from './whoami-server.ts';

const authority = certificate('proxy-ca', { for: 'authority' });
const proxy = certificate('proxy', { for: 'client' }, { issuer: authority });
const other = certificate('other', { for: 'client' }, { issuer: authority });
const settings = {
  'requestheader-client-ca-file': authority.pem,
  'requestheader-allowed-names': '["proxy"]',
  'requestheader-username-headers': '["X-Remote-User"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
};

/** An API server with the ConfigMap and reviews only, over plain HTTP. */
class MainServer {
  data: Record<string, string> | undefined;
  /** TokenReviews and SubjectAccessReviews received. */
  readonly reviews: Any[] = [];
  answerReview: (response: ServerResponse, review: Any) => void = (response, review) =>
    answer(response, 201, { ...review, status: { authenticated: true, allowed: true, user: { username: review.spec.token } } });
  port = 0;
  #version = 1;
  #server: Server | undefined;
  readonly #watches = new Set<ServerResponse>();

  async start(): Promise<void> {
    this.#server = createServer((request, response) => this.#serve(request.url ?? '', request, response));
    await new Promise<void>((resolve) => this.#server?.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise<void>((resolve) => this.#server?.close(() => resolve()) ?? resolve());
  }

  set(data: Record<string, string> | undefined): void {
    const type = data === undefined ? 'DELETED' : this.data === undefined ? 'ADDED' : 'MODIFIED';
    const object = this.#object(data ?? this.data ?? {});
    this.data = data;
    for (const watch of this.#watches) watch.write(`${JSON.stringify({ type, object })}\n`);
  }

  async #serve(url: string, request: AsyncIterable<Buffer>, response: ServerResponse): Promise<void> {
    if (url.includes('reviews')) {
      const body = JSON.parse(await textOf(request));
      this.reviews.push(body);
      return this.answerReview(response, body);
    }
    if (!url.includes('watch=true')) {
      if (this.data) return answer(response, 200, this.#object(this.data));
      return answer(response, 404, { kind: 'Status', reason: 'NotFound', code: 404, message: 'not found' });
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    this.#watches.add(response.once('close', () => this.#watches.delete(response)));
    if (!url.includes('sendInitialEvents')) return;
    if (this.data) response.write(`${JSON.stringify({ type: 'ADDED', object: this.#object(this.data) })}\n`);
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const bookmark = { kind: 'ConfigMap', metadata: { resourceVersion: String(this.#version), annotations } };
    response.write(`${JSON.stringify({ type: 'BOOKMARK', object: bookmark })}\n`);
  }

  #object(data: Record<string, string>) {
    const metadata = { name: 'extension-apiserver-authentication', resourceVersion: String(this.#version++) };
    return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data };
  }
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of body) text += piece;
  return text;
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

describe('delegation', () => {
  const closing: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });

  async function start(
    data?: Record<string, string>,
  ): Promise<{ main: MainServer; server: WhoamiServer; who: DelegatedAuthentication }> {
    const main = new MainServer();
    main.data = data;
    await main.start();
    closing.push(() => main.stop());
    const retry = { limit: 2, initialMs: 1, maxMs: 1 };
    const client = new KubeClient({ server: `http://127.0.0.1:${main.port}` }, { rateLimit: false, retry });
    closing.push(() => client.close());
    const who = await delegatedAuthentication({ client, onError: () => {} });
    const server = await startWhoami(who, await delegatedAuthorization({ client }));
    closing.push(() => server.close());
    return { main, server, who };
  }

  const asJane = { headers: { 'x-remote-user': 'jane' }, client: proxy };
  const becomes = (look: () => Promise<unknown>, wanted: unknown) =>
    vi.waitFor(async () => expect(await look()).toEqual(wanted), { timeout: 10_000, interval: 20 });

  it('without the ConfigMap refuses certificates and is not ready, until it is there', async () => {
    const { main, server } = await start();
    const agent = new Agent({ keepAlive: true, rejectUnauthorized: false, cert: proxy.pem, key: proxy.key });
    closing.push(() => agent.destroy());
    const status = async () => (await get(`${server.url}/apis/x/v1/a`, { ...asJane, agent }))[0];
    expect(await status()).toBe(401);
    const [unready, text] = await get(`${server.url}/readyz`);
    expect([unready, text]).toEqual([500, expect.stringContaining('[-]delegated-authentication failed')]);
    expect((await get(`${server.url}/livez`))[0]).toBe(200);
    main.set(settings);
    await becomes(async () => (await get(`${server.url}/readyz`))[0], 200);
    // The connections that TLS did not trust were not kept.
    await becomes(status, 200);
    main.set(undefined);
    await becomes(status, 401);
  });

  it('follows changes of the ConfigMap', async () => {
    const { main, server } = await start(settings);
    const status = async (client: typeof proxy) => (await get(`${server.url}/apis/x/v1/a`, { ...asJane, client }))[0];
    expect([await status(proxy), await status(other)]).toEqual([200, 401]);
    main.set({ ...settings, 'requestheader-allowed-names': '["other"]' });
    await becomes(async () => [await status(proxy), await status(other)], [401, 200]);
    main.set({ ...settings, 'requestheader-allowed-names': 'nonsense' });
    await becomes(async () => (await get(`${server.url}/readyz`))[0], 500);
    expect([await status(proxy), await status(other)]).toEqual([401, 200]);
    main.set({ ...settings, 'requestheader-allowed-names': '[]', 'requestheader-username-headers': '["X-Me"]' });
    await becomes(async () => (await get(`${server.url}/readyz`))[0], 200);
    const named = await get(`${server.url}/apis/x/v1/a`, { headers: { 'x-me': 'joe', 'x-remote-user': 'jane' }, client: other });
    expect(named).toMatchObject([200, { name: 'joe' }]);
  });

  it('refuses while the main server is down, and recovers', async () => {
    const { main, server } = await start(settings);
    const token = (name: string) => ({ headers: { authorization: `Bearer ${name}` } });
    expect(await get(`${server.url}/apis/x/v1/a`, token('joe'))).toMatchObject([200, { name: 'joe' }]);
    await main.stop();
    await becomes(async () => (await get(`${server.url}/readyz`))[0], 500);
    expect((await get(`${server.url}/apis/x/v1/a`, token('eve')))[0]).toBe(401);
    // The user is known by the proxy, but may do nothing without a review.
    expect((await get(`${server.url}/apis/x/v1/b`, asJane))[0]).toBe(500);
    expect((await get(`${server.url}/apis/x/v1/a`, token('joe')))[0]).toBe(200);
    await main.start();
    await becomes(async () => (await get(`${server.url}/readyz`))[0], 200);
    expect((await get(`${server.url}/apis/x/v1/a`, token('eve')))[0]).toBe(200);
  });

  it('sends one call for concurrent requests, and retries after failures', async () => {
    const { main, server } = await start(settings);
    const all = Array.from({ length: 20 }, () => get(`${server.url}/apis/x/v1/a`, { headers: { authorization: 'Bearer joe' } }));
    expect((await Promise.all(all)).map(([status]) => status)).toEqual(Array(20).fill(200));
    expect(main.reviews.map(({ kind }) => kind)).toEqual(['TokenReview', 'SubjectAccessReview']);
    let failures = 2;
    const { answerReview } = main;
    main.answerReview = (response, review) =>
      failures-- > 0 ? answer(response, 500, { kind: 'Status', code: 500 }) : answerReview(response, review);
    expect((await get(`${server.url}/apis/x/v1/a`, { headers: { authorization: 'Bearer eve' } }))[0]).toBe(200);
  });

  it.each<[string, Any, number]>([
    ['not authenticated', { authenticated: false }, 401],
    ['an error', { authenticated: false, error: 'expired' }, 401],
    ['no status', undefined, 401],
    ['a status that is a string', 'yes', 401],
  ])('a TokenReview with %s is a refusal', async (_, status, expected) => {
    const { main, server } = await start(settings);
    main.answerReview = (response, review) => answer(response, 201, { ...review, status });
    expect((await get(`${server.url}/apis/x/v1/a`, { headers: { authorization: 'Bearer joe' } }))[0]).toBe(expected);
  });

  it.each<[string, Any, number]>([
    ['allowed', { allowed: true }, 200],
    ['not allowed', { allowed: false, reason: 'no' }, 403],
    ['denied', { allowed: false, denied: true }, 403],
    ['both', { allowed: true, denied: true }, 500],
    ['no status', undefined, 403],
  ])('a SubjectAccessReview with %s', async (_, status, expected) => {
    const { main, server } = await start(settings);
    main.answerReview = (response, review) => answer(response, 201, { ...review, status });
    expect((await get(`${server.url}/apis/x/v1/a`, asJane))[0]).toBe(expected);
    const masters = { ...asJane, headers: { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' } };
    expect((await get(`${server.url}/apis/x/v1/a`, masters))[0]).toBe(200);
  });
});
