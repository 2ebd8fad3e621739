import { Agent, request } from 'node:https';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { FetchInit, RestConfig } from '../index.ts';

/** HTTP client of a cluster administrator with keep-alive. */
export interface HttpsClient {
  fetch(path: string, init?: FetchInit): Promise<Response>;
  close(): void;
}

const statusesWithoutBody = [204, 205, 304];

export function httpsClient({ server, ca, cert, key }: RestConfig): HttpsClient {
  const agent = new Agent({ keepAlive: true, ca, cert, key });
  return { fetch: (path, init = {}) => send(agent, new URL(path, server), init), close: () => agent.destroy() };
}

function send(agent: Agent, url: URL, { method = 'GET', headers, body, signal }: FetchInit): Promise<Response> {
  const content = body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body);
  const type = content === undefined ? undefined : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers: { ...type, ...lowerCase(headers) }, signal });
    sent.on('error', reject);
    sent.on('response', (incoming) => {
      const status = incoming.statusCode as number;
      const fields = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value) => [name, value]),
      );
      // Errors after the headers are reported to the reader of the body.
      incoming.on('error', () => {});
      if (statusesWithoutBody.includes(status)) incoming.resume();
      const stream = statusesWithoutBody.includes(status) ? null : (Readable.toWeb(incoming) as ReadableStream<Uint8Array>);
      resolve(new Response(stream, { status, headers: fields as [string, string][] }));
    });
    sent.end(content);
  });
}

function lowerCase(headers: FetchInit['headers'] = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Address and credentials in a kubeconfig that the server rendered. */
export function clientOptions(kubeconfig: string): RestConfig {
  // regex: reads the kubeconfig of the server.
  const value = (field: string) => new RegExp(`${field}: (\\S+)`).exec(kubeconfig)?.[1] ?? '';
  const pem = (field: string) => Buffer.from(value(field), 'base64').toString();
  const [server, caData] = [value('server'), value('certificate-authority-data')];
  const [certData, keyData] = [value('client-certificate-data'), value('client-key-data')];
  return {
    server,
    ca: pem('certificate-authority-data'),
    cert: pem('client-certificate-data'),
    key: pem('client-key-data'),
    cluster: { name: 'tsukube', server, caData, skipTLSVerify: false },
    user: { name: 'admin', certData, keyData },
  };
}
