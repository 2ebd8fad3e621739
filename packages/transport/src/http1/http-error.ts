import { reasonOf } from './write-answer.ts';

/** A request that is not handed to the handler: the connection is closed after this status, sent as plain text. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  constructor(status: number, reason?: string) {
    super(reason ?? '');
    this.status = status;
  }
}

export const badRequest = (reason?: string): HttpError => new HttpError(400, reason);

/** The whole response to a request that could not be parsed, in Go's format. */
export function errorResponse({ status, message }: HttpError): string {
  const line = `${status} ${reasonOf(status)}`;
  return rawResponse(line, 'text/plain; charset=utf-8', message ? `${line}: ${message}` : line);
}

export function methodNotAllowed({ type, body }: TypedText): string {
  return rawResponse('405 Method Not Allowed', type, body);
}

export interface TypedText {
  /** Content-Type. */
  readonly type: string;
  readonly body: string;
}

function rawResponse(line: string, type: string, body: string): string {
  return `HTTP/1.1 ${line}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}
