import { reasonOf } from './response-head.ts';

/** What is no request that could be answered: the connection ends with this status, said in plain text. */
export class HttpError extends Error {
  override readonly name = 'HttpError';
  readonly status: number;
  constructor(status: number, reason?: string) {
    super(reason ?? '');
    this.status = status;
  }
}

export const badRequest = (reason?: string): HttpError => new HttpError(400, reason);

/** What never became a request is answered in plain text, as Go's server does. */
export function errorResponse({ status, message }: HttpError): string {
  const line = `${status} ${reasonOf(status)}`;
  return rawAnswer(line, 'text/plain; charset=utf-8', message ? `${line}: ${message}` : line);
}

export function methodNotAllowed({ type, body }: TypedText): string {
  return rawAnswer('405 Method Not Allowed', type, body);
}

export interface TypedText {
  /** Content-Type. */
  readonly type: string;
  readonly body: string;
}

function rawAnswer(line: string, type: string, body: string): string {
  return `HTTP/1.1 ${line}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}
