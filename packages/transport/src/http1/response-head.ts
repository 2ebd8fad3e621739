import type { AnswerHeaders } from '../http/answer.ts';

/** Idle keep-alive connections are closed after this time. */
export const idleTimeoutMs = 90_000;

/** Set by the transport only. */
const transportFields = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date']);

/** Status line and header fields. Without a `length` the body is chunked, or ends with the connection. */
export function responseHead(
  status: number,
  type: string,
  headers: AnswerHeaders | undefined,
  length: number | undefined,
  ending: string,
): string {
  let head = statusLine(status);
  if (type !== '' && headers?.['content-type'] === undefined) head += `content-type: ${sanitized(type)}\r\n`;
  for (const name in headers) if (!transportFields.has(name)) head += field(name, headers[name] as string | readonly string[]);
  if (length !== undefined && status !== 204) head += `content-length: ${length}\r\n`;
  return head + dateLine() + ending;
}

function field(name: string, value: string | readonly string[]): string {
  if (typeof value === 'string') return `${name}: ${sanitized(value)}\r\n`;
  let lines = '';
  for (const each of value) lines += `${name}: ${sanitized(each)}\r\n`;
  return lines;
}

const invalidCharacter = /[^\t -~\u0080-\u00ff]/;

/** Prevents header injection: control characters become spaces. Other characters beyond Latin-1 are sent as UTF-8. */
function sanitized(value: string): string {
  if (!invalidCharacter.test(value)) return value;
  return Buffer.from(value.replace(/\p{Cc}/gu, ' '), 'utf8').toString('latin1');
}

const keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${idleTimeoutMs / 1000}\r\n`;
const chunked = 'Transfer-Encoding: chunked\r\n';

/** The last lines of a response head. */
export const endings = {
  keepAlive: `${keepAlive}\r\n`,
  close: 'Connection: close\r\n\r\n',
  keepAliveChunked: `${keepAlive}${chunked}\r\n`,
  closeChunked: `Connection: close\r\n${chunked}\r\n`,
} as const;

let second = 0;
let line = '';

function dateLine(): string {
  const now = Math.floor(Date.now() / 1000);
  if (now !== second) {
    second = now;
    line = `Date: ${new Date(now * 1000).toUTCString()}\r\n`;
  }
  return line;
}

const reasons: Readonly<Record<number, string>> = {
  100: 'Continue',
  101: 'Switching Protocols',
  200: 'OK',
  201: 'Created',
  202: 'Accepted',
  203: 'Non-Authoritative Information',
  204: 'No Content',
  205: 'Reset Content',
  206: 'Partial Content',
  300: 'Multiple Choices',
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  304: 'Not Modified',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  406: 'Not Acceptable',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  411: 'Length Required',
  412: 'Precondition Failed',
  413: 'Payload Too Large',
  414: 'URI Too Long',
  415: 'Unsupported Media Type',
  416: 'Range Not Satisfiable',
  417: 'Expectation Failed',
  421: 'Misdirected Request',
  422: 'Unprocessable Entity',
  423: 'Locked',
  424: 'Failed Dependency',
  425: 'Too Early',
  426: 'Upgrade Required',
  428: 'Precondition Required',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  451: 'Unavailable For Legal Reasons',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  505: 'HTTP Version Not Supported',
  507: 'Insufficient Storage',
  508: 'Loop Detected',
  511: 'Network Authentication Required',
};

export const reasonOf = (status: number): string => reasons[status] ?? 'unknown';

const lines = new Map(
  Object.keys(reasons).map((status) => [Number(status), `HTTP/1.1 ${status} ${reasons[Number(status)]}\r\n`]),
);

const statusLine = (status: number): string => lines.get(status) ?? `HTTP/1.1 ${status} unknown\r\n`;
