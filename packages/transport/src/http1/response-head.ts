import type { Headers } from '../http/answer.ts';
import { idleTimeoutMs } from './limits.ts';
import { statusLine } from './status-line.ts';

/** Set by the transport, whatever a handler says about them. */
const ours = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']);

/** Everything that goes before the body. `length` is that of the body; without one it comes in chunks, or lasts until the end. */
export function responseHead(
  status: number,
  type: string,
  headers: Headers | undefined,
  length: number | undefined,
  ending: string,
): string {
  let head = statusLine(status);
  if (type !== '' && headers?.['content-type'] === undefined) head += `content-type: ${fit(type)}\r\n`;
  for (const name in headers) if (!ours.has(name)) head += field(name, headers[name] as string | readonly string[]);
  if (length !== undefined && status !== 204) head += `content-length: ${length}\r\n`;
  return head + dateLine() + ending;
}

function field(name: string, value: string | readonly string[]): string {
  if (typeof value === 'string') return `${name}: ${fit(value)}\r\n`;
  let lines = '';
  for (const each of value) lines += `${name}: ${fit(each)}\r\n`;
  return lines;
}

const unfit = /[^\t -~\u0080-\u00ff]/;

/** A value can never become a line of its own; text that is not of this alphabet goes out as UTF-8. */
function fit(value: string): string {
  if (!unfit.test(value)) return value;
  return Buffer.from(value.replace(/\p{Cc}/gu, ' '), 'utf8').toString('latin1');
}

const staying = `Connection: keep-alive\r\nKeep-Alive: timeout=${idleTimeoutMs / 1000}\r\n`;
const chunked = 'Transfer-Encoding: chunked\r\n';

/** The last lines of a head. */
export const endings = {
  staying: `${staying}\r\n`,
  leaving: 'Connection: close\r\n\r\n',
  stayingChunked: `${staying}${chunked}\r\n`,
  leavingChunked: `Connection: close\r\n${chunked}\r\n`,
} as const;

let second = 0;
let line = '';

export function dateLine(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    line = `Date: ${new Date(now * 1000).toUTCString()}\r\n`;
  }
  return line;
}
