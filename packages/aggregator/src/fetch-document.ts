import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Backend, User } from '@tsukube/apiserver';
import { forward } from './forward.ts';
import { identityHeaders } from './identity-headers.ts';

/** A response that was read completely. */
export interface FetchedDocument {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface FetchOptions {
  /** GET if absent. */
  readonly method?: string;
  /** JSON. */
  readonly body?: string | undefined;
  /** The aggregator itself if absent. */
  readonly user?: User;
  readonly accept: string;
  readonly etag?: string | undefined;
  readonly timeoutMs: number;
  /** 64 MiB if absent. */
  readonly maxBytes?: number;
}

/** The identity of the aggregator's own requests. */
const aggregator: User = { name: 'system:kube-aggregator', groups: ['system:masters'] };
const defaultMaxBytes = 64 << 20;

/** Gets a document of a backend, or sends another request of this server. Rejects with Go's text if there is no complete response in time. */
export async function fetchDocument(
  backends: readonly Backend[],
  path: string,
  { method = 'GET', body, user = aggregator, accept, etag, timeoutMs, maxBytes = defaultMaxBytes }: FetchOptions,
): Promise<FetchedDocument> {
  const signal = AbortSignal.timeout(timeoutMs);
  const conditional = etag === undefined ? [] : ['if-none-match', etag];
  const content =
    body === undefined ? [] : ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))];
  const headers = [...identityHeaders(user), 'accept', accept, ...conditional, ...content];
  try {
    const response = await forward(backends, {
      method,
      target: path,
      headers,
      signal,
      ...(body !== undefined && { body: Readable.from([body]) }),
    });
    return { status: response.statusCode ?? 0, headers: response.headers, body: await bodyOf(response, maxBytes) };
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Error('context deadline exceeded (Client.Timeout exceeded while awaiting headers)', { cause: error });
  }
}

async function bodyOf(response: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
