import type { Readable } from 'node:stream';

export type HttpMethod = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';

export interface HttpRequest {
  readonly method: HttpMethod;
  /** Path and query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Must be read to its end or destroyed. Fails with ConnectionError, or with the reason of the request's signal. */
  readonly body: Readable;
}

/** Connections to one server. */
export interface HttpTransport {
  /** The response, whatever its status. Rejects with ConnectionError, or with the reason of the signal. */
  send(request: HttpRequest): Promise<HttpResponse>;
  /** Ends all connections; requests in flight fail. */
  close(): void;
}

/** There was no response, or its end is missing. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The server did not process the request: it is safe to send it again, whatever its method. */
  readonly unprocessed: boolean;

  constructor(message: string, options: { readonly unprocessed?: boolean; readonly cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.unprocessed = options.unprocessed ?? false;
  }
}

/** Errors of the socket as ConnectionError; the reason of the signal, if that is the cause. */
export function failureOf(error: unknown, signal: AbortSignal | undefined, unprocessed = false): unknown {
  if (signal?.aborted) return signal.reason;
  if (error instanceof ConnectionError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  const refused = code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EHOSTUNREACH';
  return new ConnectionError(message || code || 'connection failed', { unprocessed: unprocessed || refused, cause: error });
}
