import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from './metrics.ts';

/** A check passes unless it returns false, throws or rejects. */
export type Check = () => unknown;

export interface EndpointOptions {
  /** 0 for a free port. */
  readonly port: number;
  /** All addresses by default. */
  readonly host?: string;
  /** `/healthz` and `/livez`: the process should be restarted if one fails. */
  readonly health?: Readonly<Record<string, Check>>;
  /** `/readyz`. */
  readonly ready?: Readonly<Record<string, Check>>;
  /** `/metrics`. */
  readonly metrics?: Metrics;
}

export interface Endpoints {
  readonly port: number;
  close(): Promise<void>;
}

const checkTimeoutMs = 5_000;

/** Serves health checks and metrics over HTTP. */
export async function serveEndpoints(options: EndpointOptions): Promise<Endpoints> {
  const { port, host, health = {}, ready = {}, metrics } = options;
  const checks: Record<string, Readonly<Record<string, Check>>> = { '/healthz': health, '/livez': health, '/readyz': ready };
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    const wanted = Object.hasOwn(checks, path) ? checks[path] : undefined;
    if (request.method !== 'GET' && request.method !== 'HEAD') answer(response, 405, 'method not allowed\n');
    else if (wanted) runChecks(wanted).then(([status, text]) => answer(response, status, text));
    else if (path === '/metrics' && metrics) answer(response, 200, metrics.text());
    else answer(response, 404, 'not found\n');
  });
  server.headersTimeout = 5_000;
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.on('error', () => {});
  response.writeHead(status, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
}

/** `ok`, or a line for each check. */
async function runChecks(checks: Readonly<Record<string, Check>>): Promise<[number, string]> {
  const results = await Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await passes(check)] as const));
  if (results.every(([, passed]) => passed)) return [200, 'ok\n'];
  return [500, results.map(([name, passed]) => `[${passed ? '+' : '-'}]${name} ${passed ? 'ok' : 'failed'}\n`).join('')];
}

/** A check that does not end in time fails. */
function passes(check: Check): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), checkTimeoutMs);
    new Promise((run) => run(check()))
      .then((result) => resolve(result !== false))
      .catch(() => resolve(false))
      .finally(() => clearTimeout(timer));
  });
}
