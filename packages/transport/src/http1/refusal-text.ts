import type { Refused } from './http-error.ts';
import { reasonOf } from './status-line.ts';

/** What never became a request is answered in plain text, as Go's server does. */
export function refusalText({ status, message }: Refused): string {
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
