import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { ClusterConfig } from '../config/cluster-config.ts';
import { tlsOptions } from './connect.ts';
import { ConnectionError, failureOf, type HttpRequest, type HttpResponse, type HttpTransport } from './transport.ts';

const probeAfterMs = 5_000;

/** HTTP/1.1 over TLS, or plain for `http://` servers such as `kubectl proxy`. */
export function http1Transport(config: ClusterConfig): HttpTransport {
  const agent = config.server.startsWith('http:')
    ? new HttpAgent({ keepAlive: true })
    : new HttpsAgent({ keepAlive: true, ALPNProtocols: ['http/1.1'] });
  let isClosed = false;
  return {
    send: async (request) => {
      if (isClosed) throw new Error('the client is closed');
      const isPlain = agent instanceof HttpsAgent === false;
      return exchange(config.server, agent, isPlain ? {} : await tlsOptions(config), request);
    },
    close: () => {
      isClosed = true;
      agent.destroy();
    },
  };
}

function exchange(server: string, agent: HttpAgent | HttpsAgent, tls: object, request: HttpRequest): Promise<HttpResponse> {
  const { method, path, headers, body, signal } = request;
  const { hostname, port, protocol } = new URL(server);
  const open = protocol === 'http:' ? httpRequest : httpsRequest;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const sent = open({
      host: hostname.replace(/^\[|\]$/g, ''),
      port,
      agent,
      ...tls,
      method,
      path,
      headers: framed(headers, body),
    });
    const abort = () => sent.destroy(signal?.reason instanceof Error ? signal.reason : new Error(String(signal?.reason)));
    signal?.addEventListener('abort', abort, { once: true });
    sent.once('socket', (socket) => socket.setKeepAlive(true, probeAfterMs));
    sent.once('response', (response) => resolve(responseOf(response)));
    // A kept connection that the server has just closed fails before any byte of a response.
    sent.on('error', (error) => reject(failureOf(error, signal)));
    sent.once('close', () => {
      signal?.removeEventListener('abort', abort);
      reject(failureOf(new ConnectionError('the connection was closed without a response'), signal));
    });
    sent.end(body);
  });
}

/** Node does not announce the body of a DELETE by itself. */
function framed(headers: HttpRequest['headers'], body: string | Buffer | undefined): OutgoingHttpHeaders {
  const copy = { ...headers } as Record<string, string | string[]>;
  return body === undefined ? copy : { ...copy, 'content-length': Buffer.byteLength(body) };
}

function responseOf(response: IncomingMessage): HttpResponse {
  response.on('error', () => {});
  return { status: response.statusCode ?? 0, headers: response.headers, body: response };
}
