import type { AnswerHeaders, Exchange } from '@tsukube/transport';

/** Headers of a connection, not of a request; those that Connection names are added. */
const hopByHop: ReadonlySet<string> = new Set([
  'connection',
  'proxy-connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** CORS is decided by this server. */
const removedFromResponses: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);

/** Headers for the backend, without credentials of the client; names and values alternate. */
export function forwardedHeaders(
  { exchange }: { readonly exchange: Exchange },
  extra: Readonly<Record<string, string>> = {},
): string[] {
  const dropped = connectionHeaders(exchange.header('connection'));
  const headers: string[] = [];
  exchange.eachHeader((name, value) => {
    if (!dropped.has(name) && name !== 'expect' && !Object.hasOwn(extra, name) && name !== 'x-forwarded-for')
      headers.push(name, value);
  });
  if (exchange.header('te')?.toLowerCase().includes('trailers')) headers.push('te', 'trailers');
  addForwarded(headers, exchange, extra);
  return headers;
}

/** Headers of an upgrade request: those of the connection are forwarded too. */
export function upgradeHeaders({ exchange }: { readonly exchange: Exchange }, dropped: ReadonlySet<string> = none): string[] {
  const headers: string[] = [];
  exchange.eachHeader((name, value) => {
    if (name !== 'x-forwarded-for' && !framing.has(name) && !dropped.has(name)) headers.push(name, value);
  });
  addForwarded(headers, exchange, {});
  return headers;
}

const none: ReadonlySet<string> = new Set();
/** The body of an upgrade request is not forwarded. */
const framing: ReadonlySet<string> = new Set(['transfer-encoding', 'content-length', 'expect']);

function addForwarded(headers: string[], exchange: Exchange, extra: Readonly<Record<string, string>>): void {
  if (!headers.includes('host')) headers.push('host', exchange.header('host') ?? '');
  const before: string[] = [];
  exchange.eachHeader((name, value) => {
    if (name === 'x-forwarded-for') before.push(value);
  });
  headers.push('x-forwarded-for', [...before, exchange.connection.remoteAddress].join(', '));
  for (const [name, value] of Object.entries(extra)) headers.push(name, value);
}

/** Headers of a backend's response for the client. Content-Type and Content-Length are not among them. */
export function proxiedResponseHeaders(raw: readonly string[]): AnswerHeaders {
  const fields = new Map<string, string[]>();
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    const values = fields.get(name) ?? [];
    values.push(raw[i + 1] ?? '');
    fields.set(name, values);
  }
  const dropped = connectionHeaders(fields.get('connection')?.join(','));
  const kept = [...fields].filter(([name]) => !dropped.has(name) && !removedFromResponses.has(name) && !own.has(name));
  return Object.fromEntries(kept);
}

const own: ReadonlySet<string> = new Set(['content-type', 'content-length', 'date']);

function connectionHeaders(connection: string | undefined): ReadonlySet<string> {
  if (connection === undefined) return hopByHop;
  return new Set([...hopByHop, ...connection.split(',').map((name) => name.trim().toLowerCase())]);
}
