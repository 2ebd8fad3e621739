import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import { isObject, type JsonObject, type JsonValue, parseJson } from '@tsukube/machinery';
import type { ServiceResolver } from './service-resolver.ts';

/** The call did not bring an answer that can be read. */
export class WebhookFailed extends Error {
  override readonly name = 'WebhookFailed';
}

export interface WebhookCall {
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A webhook that can be called. Fails with WebhookFailed, in the words of Go's HTTP client where there are such. */
export interface WebhookClient {
  call(call: WebhookCall): Promise<JsonValue>;
  close(): void;
}

/** As large as an answer may be. */
const maxAnswerBytes = 64 << 20;
const maxSockets = 64;

/** `config` is a WebhookClientConfig: a URL or a service, and who vouches for it. Connections are kept. */
export function webhookClient(config: JsonObject, resolve: ServiceResolver): WebhookClient {
  const agent = new Agent({ keepAlive: true, maxSockets, ca: authorityOf(config) });
  const target = targetOf(config);
  return {
    async call(call) {
      const url = new URL(target.url);
      url.searchParams.set('timeout', `${Math.round(call.timeoutMs / 1000)}s`);
      try {
        const address = target.service && (await resolve(target.service));
        return readAnswer(await send(url, address, agent, call));
      } catch (error) {
        throw error instanceof WebhookFailed ? error : new WebhookFailed(`Post "${url}": ${reasonOf(error)}`, { cause: error });
      }
    },
    close: () => agent.destroy(),
  };
}

function authorityOf({ caBundle }: JsonObject): string | undefined {
  const text = typeof caBundle === 'string' ? Buffer.from(caBundle, 'base64').toString() : '';
  return text.trim() === '' ? undefined : text;
}

function targetOf(config: JsonObject): { url: string; service?: { namespace: string; name: string; port: number } } {
  const { url, service } = config;
  if (!isObject(service)) return { url: String(url) };
  const { namespace, name, port = 443, path = '/' } = service;
  const reference = { namespace: String(namespace), name: String(name), port: Number(port) };
  const below = String(path).startsWith('/') ? path : `/${path}`;
  return { url: `https://${name}.${namespace}.svc:${port}${below}`, service: reference };
}

interface Received {
  readonly status: number;
  readonly body: Buffer;
}

function send(
  url: URL,
  address: { host: string; port: number } | undefined,
  agent: Agent,
  { body, timeoutMs, signal }: WebhookCall,
): Promise<Received> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const options: RequestOptions = {
    agent,
    method: 'POST',
    host: address?.host ?? url.hostname.replace(/^\[|\]$/g, ''),
    port: address?.port ?? (url.port || 443),
    path: url.pathname + url.search,
    // The certificate is for the service, wherever it is reached.
    ...(isIP(url.hostname) === 0 && { servername: url.hostname }),
    headers: {
      host: url.host,
      'content-type': 'application/json',
      accept: 'application/json, */*',
      'content-length': Buffer.byteLength(body),
    },
    signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
  };
  return new Promise((done, fail) => {
    const sent = httpsRequest(options, (response) => readBody(response).then(done, fail));
    sent.on('error', (error) => fail(deadline.aborted ? new Error('context deadline exceeded') : error));
    sent.end(body);
  });
}

async function readBody(response: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxAnswerBytes) throw new Error('the answer is too large');
    chunks.push(chunk as Buffer);
  }
  return { status: response.statusCode ?? 0, body: Buffer.concat(chunks) };
}

function readAnswer({ status, body }: Received): JsonValue {
  if (status < 200 || status > 299) throw new WebhookFailed(failureOf(status, body));
  try {
    return parseJson(body).value;
  } catch (error) {
    throw new WebhookFailed(`couldn't get version/kind; json parse error: ${(error as Error).message}`, { cause: error });
  }
}

function failureOf(status: number, body: Buffer): string {
  const text = body.subarray(0, 2048).toString('utf8').trim();
  if (status === 404) return 'the server could not find the requested resource';
  if (status >= 500) return `an error on the server (${JSON.stringify(text)}) has prevented the request from succeeding`;
  return `the server rejected our request for an unknown reason (${status})`;
}

const goReasons: Readonly<Record<string, (error: NodeJS.ErrnoException & { address?: string; port?: number }) => string>> = {
  ECONNREFUSED: ({ address, port }) => `dial tcp ${address}:${port}: connect: connection refused`,
  ENOTFOUND: (error) => `dial tcp: lookup ${(error as { hostname?: string }).hostname}: no such host`,
  DEPTH_ZERO_SELF_SIGNED_CERT: () => 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: () => 'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  CERT_HAS_EXPIRED: () => 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid',
};

function reasonOf(error: unknown): string {
  const { code = '' } = error as { code?: string };
  const said = goReasons[code];
  return said ? said(error as NodeJS.ErrnoException) : error instanceof Error ? error.message : String(error);
}
