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
import { OutboundError, type OutboundResponse, outboundClient } from './outbound-client.ts';
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

const maxResponseBytes = 64 << 20;
const maxSockets = 64;

/** `config` is a WebhookClientConfig: a URL or a Service, and a CA bundle. */
export function webhookClient(config: JsonObject, resolve: ServiceResolver): WebhookClient {
  const client = outboundClient({ ca: bundleOf(config), maxSockets, maxResponseBytes });
  const target = targetOf(config);
  const post = async (url: URL, { body, timeoutMs, signal }: WebhookCall): Promise<OutboundResponse> => {
    const address = target.service && (await resolve(target.service));
    const headers = { 'content-type': 'application/json', accept: 'application/json, */*' };
    return client.send({ method: 'POST', url, headers, body, timeoutMs, signal, address });
  };
  return {
    async call(call) {
      const url = `${target.url}?timeout=${Math.round(call.timeoutMs / 1000)}s`;
      const parsed = new URL(url);
      const response = await post(parsed, call).catch((error: Error) => {
        const problem = error instanceof OutboundError ? connectionProblem(error, parsed.hostname) : error.message;
        throw new WebhookFailed(`Post "${url}": ${problem}`, { cause: error });
      });
      return readAnswer(response);
    },
    close: () => client.close(),
  };
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
  const contentType = response.headers['content-type'] ?? '';
  if (status < 200 || status > 206) throw new WebhookFailed(statusProblem(status, contentType, body));
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
