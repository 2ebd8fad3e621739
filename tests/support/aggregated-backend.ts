import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { afterAll, expect, vi } from 'vitest';
import { type Certificate, caBundle, certificate } from './certificates.ts';
import type { Any, Client } from './client.ts';

export type BackendHandler = (incoming: IncomingMessage, response: ServerResponse) => void;

export interface AggregatedBackend {
  readonly server: Server;
  readonly port: number;
  readonly caBundle: string;
  /** Headers of the requests received, by method and path. */
  readonly requests: { readonly line: string; readonly headers: IncomingMessage['headers']; readonly clientName: string }[];
  close(): Promise<void>;
}

export interface BackendOptions {
  readonly group: string;
  /** Name of its Service in the namespace default. */
  readonly service: string;
  readonly handle?: BackendHandler;
  /** Verbs of `flunders`. */
  readonly verbs?: readonly string[];
  readonly onUpgrade?: (incoming: IncomingMessage, socket: Duplex) => void;
  readonly host?: string;
  readonly certificate?: Certificate;
}

const root = certificate('backend-root', { for: 'authority' });

export function backendCertificate(name: string): Certificate {
  return certificate(name, { for: 'server', hosts: [name] }, { issuer: root });
}

/** An API server with TLS and the resource `flunders`, which answers other paths with `handle`. */
export async function startBackend(options: BackendOptions): Promise<AggregatedBackend> {
  const { service, host = '127.0.0.1' } = options;
  const serving = options.certificate ?? backendCertificate(`${service}.default.svc`);
  const requests: AggregatedBackend['requests'] = [];
  const sockets = new Set<Duplex>();
  const server = createServer({ cert: serving.pem, key: serving.key, requestCert: true, rejectUnauthorized: false });
  const note = (incoming: IncomingMessage) => {
    const subject = (incoming.socket as TLSSocket).getPeerCertificate().subject as { CN?: string } | undefined;
    requests.push({ line: `${incoming.method} ${incoming.url}`, headers: incoming.headers, clientName: subject?.CN ?? '' });
  };
  server.on('request', (incoming, response) => {
    note(incoming);
    if (!answerDiscovery(options, incoming, response)) (options.handle ?? notFound)(incoming, response);
  });
  server.on('upgrade', (incoming, socket) => {
    note(incoming);
    socket.on('error', () => {});
    options.onUpgrade?.(incoming, socket);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return {
    server,
    port: (server.address() as AddressInfo).port,
    caBundle: caBundle(root),
    requests,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const flunders = {
  name: 'flunders',
  singularName: 'flunder',
  namespaced: true,
  kind: 'Flunder',
  verbs: ['create', 'get', 'list', 'watch'],
  shortNames: ['fl'],
};

function answerDiscovery({ group, verbs }: BackendOptions, { url }: IncomingMessage, response: ServerResponse): boolean {
  if (url !== `/apis/${group}/v1`) return false;
  answerJson(response, 200, {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: `${group}/v1`,
    resources: [{ ...flunders, ...(verbs && { verbs }) }],
  });
  return true;
}

export function answerJson(response: ServerResponse, status: number, body: Any): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

const notFound: BackendHandler = (_incoming, response) => void response.writeHead(404).end();

/** Registers a backend by a Service of type ExternalName that leads to this host. */
export async function registerBackend(client: Client, group: string, service: string, port: number, spec: Any): Promise<void> {
  const externalName = { metadata: { name: service }, spec: { type: 'ExternalName', externalName: 'localhost' } };
  await created(client, '/api/v1/namespaces/default/services', externalName);
  await registerApi(client, group, { namespace: 'default', name: service, port }, spec);
}

export async function registerApi(client: Client, group: string, service: Any, spec: Any): Promise<void> {
  const common = { group, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 };
  const body = { metadata: { name: `v1.${group}` }, spec: { ...common, service, ...spec } };
  await created(client, '/apis/apiregistration.k8s.io/v1/apiservices', body);
}

async function created(client: Client, path: string, body: Any): Promise<void> {
  const { status, text } = await client.send('POST', path, body);
  if (status !== 201) throw new Error(text);
}

/** The condition Available of an APIService. */
export async function availability(client: Client, group: string): Promise<Any> {
  const { body } = await client.get(`/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`);
  return body.status?.conditions?.[0];
}

export interface Backends {
  /** Starts a backend that is closed after the tests. */
  start(options: BackendOptions): Promise<AggregatedBackend>;
  /** Starts a backend, registers it and waits until it is available. */
  aggregated(group: string, options?: Partial<BackendOptions>): Promise<AggregatedBackend>;
  /** Waits for the condition Available of a group. */
  becomes(group: string, condition: Any): Promise<void>;
  /** Calls back after the tests. */
  onEnd(close: () => unknown): void;
}

/** The backends of a test file. */
export function useBackends(t: { readonly client: Client }): Backends {
  const closing: (() => unknown)[] = [];
  afterAll(async () => {
    for (const close of closing) await close();
  });
  const start = async (options: BackendOptions) => {
    const backend = await startBackend(options);
    closing.push(() => backend.close());
    return backend;
  };
  const becomes = (group: string, condition: Any): Promise<void> =>
    vi.waitFor(async () => expect(await availability(t.client, group)).toMatchObject(condition), {
      timeout: 15_000,
      interval: 20,
    });
  return {
    start,
    becomes,
    onEnd: (close) => void closing.push(close),
    async aggregated(group, options = {}) {
      const service = group.split('.')[0] as string;
      const backend = await start({ group, service, ...options });
      await registerBackend(t.client, group, service, backend.port, { caBundle: backend.caBundle });
      await becomes(group, { status: 'True', reason: 'Passed', message: 'all checks passed' });
      return backend;
    },
  };
}

/** The path of the flunders of a group, and what follows it. */
export const flundersOf = (group: string, rest = ''): string => `/apis/${group}/v1/namespaces/default/flunders${rest}`;
