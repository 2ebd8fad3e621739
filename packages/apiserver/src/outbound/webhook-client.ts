import {
  isObject,
  type JsonObject,
  JsonSyntaxError,
  type JsonValue,
  type ParsedJson,
  parseJson,
  parseYaml,
  typeMetaMismatch,
  YamlSyntaxError,
} from '@tsukube/machinery';
import { type OutboundClient, OutboundError, type OutboundResponse, outboundClient } from './outbound-client.ts';
import type { ServiceReference, ServiceResolver } from './service-resolver.ts';
import { connectionProblem, statusProblem, WebhookFailed } from './webhook-failure.ts';

export interface WebhookCall {
  readonly body: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

export interface WebhookClient {
  /** Resolves with the decoded response. Rejects with WebhookFailed, whose message is the one Kubernetes has. */
  call(call: WebhookCall): Promise<JsonValue>;
  close(): void;
}

/** Credentials of this server for a webhook. */
export interface WebhookCredentials {
  readonly certificate: Buffer | undefined;
  readonly key: Buffer | undefined;
  /** Value of the Authorization header. Read for every request, because token files are rotated. */
  authorization(): string | undefined;
}

/** The credentials for a server, given as `host:port`; undefined if there are none. */
export type FindCredentials = (target: string) => Promise<WebhookCredentials | undefined>;

export interface WebhookClientOptions {
  readonly maxResponseBytes?: number;
  readonly findCredentials?: FindCredentials | undefined;
}

const defaultMaxResponseBytes = 64 << 20;
const maxSockets = 64;

/** `config` is a WebhookClientConfig: a URL or a Service, and a CA bundle. */
export function webhookClient(config: JsonObject, resolve: ServiceResolver, options: WebhookClientOptions = {}): WebhookClient {
  const target = targetOf(config);
  const open = openOnce(config, target.url, options);
  const urlFor = urlWithTimeout(target.url);
  const post = async (url: URL, { body, timeoutMs, signal }: WebhookCall): Promise<OutboundResponse> => {
    const address = target.service && (await resolve(target.service));
    const { client, credentials } = open.connection ?? (await open.connect());
    const authorization = credentials?.authorization();
    const headers = { ...jsonHeaders, ...(authorization !== undefined && { authorization }) };
    const send = (to: URL) => client.send({ method: 'POST', url: to, headers, body, timeoutMs, signal, address });
    return followRedirects(url, send);
  };
  return {
    async call(call) {
      const { url, parsed } = urlFor(call.timeoutMs);
      const response = await post(parsed, call).catch((error: Error) => {
        const problem = error instanceof OutboundError ? connectionProblem(error, parsed.hostname) : error.message;
        throw new WebhookFailed(`Post "${url}": ${problem}`, { cause: error });
      });
      return readAnswer(response);
    },
    close: () => open.connection?.client.close(),
  };
}

/** The URL with the timeout parameter. A webhook has one timeout, so the last URL is cached. */
function urlWithTimeout(base: string): (timeoutMs: number) => { readonly url: string; readonly parsed: URL } {
  let last: { readonly url: string; readonly parsed: URL } | undefined;
  return (timeoutMs) => {
    const url = `${base}?timeout=${Math.round(timeoutMs / 1000)}s`;
    if (last?.url !== url) last = { url, parsed: new URL(url) };
    return last;
  };
}

/** As many as Go's HTTP client follows. */
const maxRedirects = 10;

/**
 * Follows redirects that keep the method and lead to the same server: Go's router sends them for paths such as `//validate`, which
 * envtest registers. Other redirects are returned, because they would carry the request to a server that is not configured.
 */
async function followRedirects(url: URL, send: (url: URL) => Promise<OutboundResponse>): Promise<OutboundResponse> {
  let at = url;
  for (let i = 0; ; i++) {
    const response = await send(at);
    if ((response.status !== 307 && response.status !== 308) || i === maxRedirects) return response;
    const location = response.headers.get('location');
    if (location === undefined) return response;
    const next = URL.canParse(location, at.href) ? new URL(location, at) : undefined;
    if (next?.origin !== url.origin) return response;
    at = next;
  }
}

const jsonHeaders = { 'content-type': 'application/json', accept: 'application/json, */*' };

interface Connection {
  readonly client: OutboundClient;
  readonly credentials: WebhookCredentials | undefined;
}

/** The client is created with the first call, when its credentials are looked up. */
function openOnce(
  config: JsonObject,
  url: string,
  { findCredentials, maxResponseBytes = defaultMaxResponseBytes }: WebhookClientOptions,
) {
  const open = {
    connection: undefined as Connection | undefined,
    async connect(): Promise<Connection> {
      const credentials = await findCredentials?.(hostAndPort(url));
      open.connection ??= {
        client: outboundClient({
          ca: bundleOf(config),
          cert: credentials?.certificate,
          key: credentials?.key,
          maxSockets,
          maxResponseBytes,
        }),
        credentials,
      };
      return open.connection;
    },
  };
  return open;
}

function hostAndPort(url: string): string {
  const { hostname, port } = new URL(url);
  return `${hostname}:${port || '443'}`;
}

function bundleOf({ caBundle }: JsonObject): string | undefined {
  const text = typeof caBundle === 'string' ? Buffer.from(caBundle, 'base64').toString() : '';
  return text.trim() === '' ? undefined : text;
}

/** The URL as configured, with a path, because error messages show it. */
function targetOf(config: JsonObject): { readonly url: string; readonly service?: ServiceReference } {
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

async function readAnswer(response: OutboundResponse): Promise<JsonValue> {
  const { status, body } = response;
  const contentType = response.headers.get('content-type') ?? '';
  if (status < 200 || status > 206) throw new WebhookFailed(statusProblem(status, contentType, body), { status });
  if (body.length === 0)
    throw new WebhookFailed(`0-length response with status code: ${status} and content type: ${contentType}`);
  const { value } = await parsed(body);
  const misfit = typeMetaMismatch(value);
  if (misfit !== undefined) throw new WebhookFailed(misfit);
  return value;
}

/** Responses are JSON or YAML, whatever their content type. */
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
