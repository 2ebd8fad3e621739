import { X509Certificate } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import {
  isObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  type ParsedJson,
  parseJson,
  parseYaml,
  typeMetaMisfit,
  YamlSyntaxError,
} from '@tsukube/machinery';
import { trustOptions } from '@tsukube/transport';
import type { ServiceResolver } from './service-resolver.ts';
import { connectionProblem, type FailedRequest, statusProblem, type WebhookAnswer, WebhookFailed } from './webhook-failure.ts';

export interface WebhookCall {
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface WebhookClient {
  /** The answer, with the kind and apiVersion that it may have. Rejects with WebhookFailed, in the words of Kubernetes. */
  call(call: WebhookCall): Promise<JsonValue>;
  close(): void;
}

/** As large as an answer may be. */
const maxAnswerBytes = 64 << 20;
const maxSockets = 64;

/** `config` is a WebhookClientConfig: a URL or a service, and a CA bundle. Connections are kept alive. */
export function webhookClient(config: JsonObject, resolve: ServiceResolver): WebhookClient {
  const agent = new Agent({ keepAlive: true, maxSockets, ...trustOptions(bundleOf(config)) });
  const target = targetOf(config);
  return {
    async call(call) {
      const url = `${target.url}?timeout=${Math.round(call.timeoutMs / 1000)}s`;
      let answer: WebhookAnswer;
      try {
        const address = target.service && (await resolve(target.service));
        answer = await send(new URL(url), address, agent, call);
      } catch (error) {
        throw new WebhookFailed(`Post "${url}": ${(error as Error).message}`, { cause: error });
      }
      return readAnswer(answer);
    },
    close: () => agent.destroy(),
  };
}

function bundleOf({ caBundle }: JsonObject): string | undefined {
  const text = typeof caBundle === 'string' ? Buffer.from(caBundle, 'base64').toString() : '';
  return text.trim() === '' ? undefined : text;
}

/** The URL as it is written, with a path: messages show it so. */
function targetOf(config: JsonObject): { url: string; service?: { namespace: string; name: string; port: number } } {
  const { url, service } = config;
  if (!isObject(service)) {
    const text = String(url);
    return { url: /^https:\/\/[^/]+$/.test(text) ? `${text}/` : text };
  }
  const { namespace, name, port = 443, path = '/' } = service;
  const reference = { namespace: String(namespace), name: String(name), port: Number(port) };
  const below = String(path).startsWith('/') ? path : `/${path}`;
  return { url: `https://${name}.${namespace}.svc:${port}${below}`, service: reference };
}

/** Redirects are not followed. */
function send(
  url: URL,
  address: { host: string; port: number } | undefined,
  agent: Agent,
  { body, timeoutMs, signal }: WebhookCall,
): Promise<WebhookAnswer> {
  const deadline = AbortSignal.timeout(timeoutMs);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const options: RequestOptions = {
    agent,
    method: 'POST',
    host: address?.host ?? host,
    port: address?.port ?? (url.port || 443),
    path: url.pathname + url.search,
    // The certificate is for the service, wherever it is reached.
    ...(isIP(host) === 0 && { servername: host }),
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
    const certificate = noteCertificate(sent);
    sent.on('error', (error) => {
      const request: FailedRequest = { host, certificate: certificate(), timedOut: deadline.aborted, now: Date.now() };
      fail(new Error(connectionProblem(error, request), { cause: error }));
    });
    sent.end(body);
  });
}

/** Keeps the certificate of a new connection before verification can close it. */
function noteCertificate(sent: ReturnType<typeof httpsRequest>): () => X509Certificate | undefined {
  let certificate: Buffer | undefined;
  sent.once('socket', (socket: Socket) => {
    if (!socket.connecting) return;
    socket.prependOnceListener('secure', () => {
      certificate = (socket as TLSSocket).getPeerCertificate().raw;
    });
  });
  return () => certificate && new X509Certificate(certificate);
}

async function readBody(response: IncomingMessage): Promise<WebhookAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > maxAnswerBytes) throw new Error('the answer is too large');
    chunks.push(chunk as Buffer);
  }
  const contentType = response.headers['content-type'] ?? '';
  return { status: response.statusCode ?? 0, contentType, body: Buffer.concat(chunks) };
}

async function readAnswer(answer: WebhookAnswer): Promise<JsonValue> {
  const { status, contentType, body } = answer;
  if (status < 200 || status > 206) throw new WebhookFailed(statusProblem(answer));
  if (body.length === 0)
    throw new WebhookFailed(`0-length response with status code: ${status} and content type: ${contentType}`);
  const { value } = await parsed(body);
  const misfit = typeMetaMisfit(value);
  if (misfit !== undefined) throw new WebhookFailed(misfit);
  return value;
}

/** Answers are JSON, or YAML, whatever their content type. */
async function parsed(body: Buffer): Promise<ParsedJson> {
  try {
    return parseJson(body);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  try {
    return await parseYaml(body);
  } catch (error) {
    if (!(error instanceof YamlSyntaxError)) throw error;
    throw new WebhookFailed(`couldn't get version/kind; json parse error: ${error.message}`, { cause: error });
  }
}
