import { Readable } from 'node:stream';
import type { User } from '@tsukube/apiserver';
import type { StreamedResponse } from '@tsukube/transport';
import type { Route } from './connections.ts';
import { forward } from './forward.ts';
import { identityHeaders } from './identity-headers.ts';

/** A response that was read completely. */
export interface FetchedDocument {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
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
  route: Route,
  path: string,
  { method = 'GET', body, user = aggregator, accept, etag, timeoutMs, maxBytes = defaultMaxBytes }: FetchOptions,
): Promise<FetchedDocument> {
  const signal = AbortSignal.timeout(timeoutMs);
  const conditional = etag === undefined ? [] : ['if-none-match', etag];
  const content =
    body === undefined ? [] : ['content-type', 'application/json', 'content-length', String(Buffer.byteLength(body))];
  const headers = [...identityHeaders(user), 'accept', accept, ...conditional, ...content];
  try {
    const streamed = body === undefined ? undefined : Readable.from([Buffer.from(body)]);
    const response = await forward(route, { method, target: path, headers, signal, body: streamed });
    return { status: response.status, headers: response.headers, body: await bodyOf(response, maxBytes) };
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Error('context deadline exceeded (Client.Timeout exceeded while awaiting headers)', { cause: error });
  }
}

async function bodyOf({ body }: StreamedResponse, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of Buffer.isBuffer(body) ? [body] : (body as AsyncIterable<Buffer>)) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new Error(`the response is larger than ${maxBytes} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
