import { StatusError, statusBody, stringifyJson } from '@tsukube/machinery';
import type { Refused } from './refused.ts';
import { reasonOf } from './status-line.ts';

/** What never became a request is answered in plain text, as Go's server does. */
export function refusalText({ status, message }: Refused): string {
  const line = `${status} ${reasonOf(status)}`;
  return rawAnswer(line, 'text/plain; charset=utf-8', message ? `${line}: ${message}` : line);
}

/** There is nothing to connect to behind this server. */
export const noTunnel = rawAnswer(
  '405 Method Not Allowed',
  'application/json',
  stringifyJson(statusBody(StatusError.methodNotAllowed().status)),
);

function rawAnswer(line: string, type: string, body: string): string {
  return `HTTP/1.1 ${line}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}
