import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { trustOptions } from '@tsukube/transport';
import type { WebhookEndpoint } from './webhook-kubeconfig.ts';

export interface WebhookAnswer {
  readonly status: number;
  readonly body: string;
}

export interface WebhookClient {
  /** Sends JSON. Fails if there is no answer in time; an answer of whatever status is one. */
  post(body: string): Promise<WebhookAnswer>;
  close(): void;
}

/** Longer answers are cut off: nothing that is asked for has them. */
const maxAnswerBytes = 4 << 20;
const defaultTimeoutMs = 30_000;

/** Calls one service over connections that are kept. Redirects are not followed. */
export function webhookClient(endpoint: WebhookEndpoint, timeoutMs = defaultTimeoutMs): WebhookClient {
  const { url } = endpoint;
  const isSecure = url.protocol === 'https:';
  const agent = isSecure ? new HttpsAgent({ keepAlive: true, ...tlsOf(endpoint) }) : new HttpAgent({ keepAlive: true });
  const send = isSecure ? httpsRequest : httpRequest;
  return {
    post(body) {
      return new Promise((resolve, reject) => {
        const headers = headersFor(endpoint, body);
        const request = send(url, { method: 'POST', headers, agent, signal: AbortSignal.timeout(timeoutMs) }, (response) =>
          readAnswer(response, resolve, reject),
        );
        request.on('error', reject);
        request.end(body);
      });
    },
    close: () => agent.destroy(),
  };
}

function tlsOf({ ca, certificate, key, skipVerification, serverName }: WebhookEndpoint) {
  const identity = { cert: certificate, key, ...(serverName && { servername: serverName }) };
  return { ...identity, ...trustOptions(ca), rejectUnauthorized: !skipVerification };
}

function headersFor(endpoint: WebhookEndpoint, body: string): Record<string, string | number> {
  const authorization = endpoint.authorization();
  return {
    'content-type': 'application/json',
    accept: 'application/json, */*',
    'content-length': Buffer.byteLength(body),
    ...(authorization === undefined ? {} : { authorization }),
  };
}

function readAnswer(response: IncomingMessage, resolve: (answer: WebhookAnswer) => void, reject: (error: Error) => void): void {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > maxAnswerBytes) response.destroy(new Error('the answer of the webhook is too long'));
    else chunks.push(chunk);
  });
  response.on('error', reject);
  response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString('utf8') }));
}
