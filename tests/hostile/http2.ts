import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type SecureClientSessionOptions,
} from 'node:http2';
import type { Client } from '../support/client.ts';
import { credentials } from './tls.ts';

/** An HTTP/2 connection of the administrator. Its errors are reported by its streams. */
export function openSession(client: Client, options: SecureClientSessionOptions = {}): ClientHttp2Session {
  // Node's client limits headers to 64 KiB by default.
  const session = connect(client.url, { ...credentials(client), maxSendHeaderBlockLength: 1 << 24, ...options });
  session.on('error', () => {});
  return session;
}

/** The end of a stream: a response, or a reset with its code. */
export type Http2Reply =
  | { readonly status: number; readonly headers: IncomingHttpHeaders; readonly body: string }
  | { readonly status: 0; readonly code: string };

/** Sends a request; the signal cancels it, for instance a watch. */
export function send(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  body?: string | Uint8Array,
  signal?: AbortSignal,
): Promise<Http2Reply> {
  try {
    const stream = session.request(headers, { endStream: body === undefined, signal });
    const reply = whole(stream);
    if (body !== undefined) stream.end(body);
    return reply;
  } catch (error) {
    return Promise.resolve({ status: 0, code: (error as NodeJS.ErrnoException).code ?? String(error) });
  }
}

/** A stream that is reset after its response, because its body was not read, counts as answered. */
export function whole(stream: ClientHttp2Stream): Promise<Http2Reply> {
  return new Promise((resolve) => {
    let answered: IncomingHttpHeaders | undefined;
    let code = 'closed without an answer';
    const chunks: Buffer[] = [];
    stream.on('response', (headers) => {
      answered = headers;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', (error: NodeJS.ErrnoException) => {
      code = error.message;
    });
    stream.on('close', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      resolve(answered ? { status: Number(answered[':status']), headers: answered, body } : { status: 0, code });
    });
  });
}
