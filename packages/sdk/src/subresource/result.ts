import { answerStatus, answerValue } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import type { Answer, Sink } from '@tsukube/transport';

type Bytes = Uint8Array | string;

/** A response in full control of its author. */
export class SubresourceResponse {
  readonly status: number;
  readonly type: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Bytes | AsyncIterable<Bytes>;

  constructor(
    body: Bytes | AsyncIterable<Bytes>,
    options: { readonly status?: number; readonly type?: string; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    this.body = body;
    this.status = options.status ?? 200;
    this.type = options.type ?? (typeof body === 'string' ? 'text/plain; charset=utf-8' : 'application/octet-stream');
    this.headers = options.headers ?? {};
  }
}

/**
 * Nothing for a Status of success, an object for JSON, text or bytes as they are, an async iterable for a stream that is produced as fast
 * as the client reads it, or a SubresourceResponse.
 */
export type SubresourceResult = undefined | object | Bytes | AsyncIterable<Bytes> | SubresourceResponse;

interface Shutdown {
  onBegin(listener: () => void): () => void;
}

/** Streams end when the server stops. */
export function answerResult(result: SubresourceResult, shutdown: Shutdown): Answer | Promise<Answer> {
  if (result === undefined || result === null) return answerStatus({ status: 'Success', code: 200 });
  if (result instanceof SubresourceResponse) return answerResponse(result, shutdown);
  if (typeof result === 'string' || result instanceof Uint8Array)
    return answerResponse(new SubresourceResponse(result), shutdown);
  if (isAsyncIterable(result))
    return answerResponse(new SubresourceResponse(result, { type: 'text/plain; charset=utf-8' }), shutdown);
  if (typeof result !== 'object' || Array.isArray(result))
    throw new TypeError('a subresource handler returned neither an object nor bytes');
  const output = { mediaType: 'application/json', as: 'object', metaVersion: 'v1', pretty: false } as const;
  return answerValue(200, result as JsonObject, output);
}

function isAsyncIterable(value: object): value is AsyncIterable<Bytes> {
  return Symbol.asyncIterator in value;
}

function answerResponse({ status, type, headers, body }: SubresourceResponse, shutdown: Shutdown): Answer {
  if (typeof body === 'string' || body instanceof Uint8Array) return { kind: 'bytes', status, type, body, headers };
  const start = (sink: Sink): void => {
    send(body, sink, shutdown).catch(() => sink.abort());
  };
  return { kind: 'stream', status, type, headers, start };
}

/** Above this many unsent bytes the source is not asked for more. */
const maxBufferedBytes = 1 << 20;

/** Pulls from the source as fast as the client reads. Ends the source when the client is gone or the server stops. */
async function send(source: AsyncIterable<Bytes>, sink: Sink, shutdown: Shutdown): Promise<void> {
  const iterator = source[Symbol.asyncIterator]();
  const ended = new Promise<undefined>((resolve) => {
    sink.onClose(() => resolve(undefined));
    const forget = shutdown.onBegin(() => resolve(undefined));
    sink.onClose(forget);
  });
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), ended]);
      if (!next || next.done) break;
      const bytes = typeof next.value === 'string' ? Buffer.from(next.value) : next.value;
      sink.write([bytes], bytes);
      if (sink.buffered > maxBufferedBytes) await Promise.race([drained(sink), ended]);
    }
    sink.end();
  } finally {
    void iterator.return?.()?.catch(() => {});
  }
}

function drained(sink: Sink): Promise<void> {
  return new Promise((resolve) => sink.onDrain(resolve));
}
