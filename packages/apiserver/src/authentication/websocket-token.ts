import { type Authenticator, type Identification, refused, type TokenAuthenticator } from './authenticator.ts';

const prefix = 'base64url.bearer.authorization.k8s.io.';
const invalid = refused('invalid bearer token');
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Authenticates the token in a WebSocket subprotocol, for browsers, which cannot set the Authorization header. */
export function webSocketAuthenticator(authenticate: TokenAuthenticator, apiAudiences: readonly string[]): Authenticator {
  const asked = apiAudiences.length === 0 ? undefined : apiAudiences;
  return function byWebSocketProtocol({ exchange }) {
    const header = exchange.upgrade ? exchange.header('sec-websocket-protocol') : undefined;
    if (!header?.includes(prefix)) return undefined;
    const token = tokenIn(header.split(',').map((protocol) => protocol.trim()));
    if (token === undefined || typeof token !== 'string') return token;
    const found = authenticate(token, asked);
    return found instanceof Promise ? found.then((later) => later ?? invalid) : (found ?? invalid);
  };
}

function tokenIn(protocols: readonly string[]): string | Identification {
  const [encoded, ...more] = protocols.filter((protocol) => protocol.startsWith(prefix));
  if (more.length > 0) return refused('multiple base64.bearer.authorization tokens specified');
  const text = encoded?.slice(prefix.length) ?? '';
  if (!/^[\w-]*$/.test(text) || text.length % 4 === 1) return refused('invalid base64.bearer.authorization token encoding');
  if (protocols.length === 1 && text !== '') return refused('missing additional subprotocol');
  try {
    return utf8.decode(Buffer.from(text, 'base64url')) || undefined;
  } catch {
    return refused('invalid base64.bearer.authorization token');
  }
}

const maxProtocols = 64;

/** Removes token subprotocols from a header; empty if there are too many subprotocols. */
export function withoutTokenProtocols(header: string): string {
  if (!header.includes(prefix)) return header;
  const all = header.split(',', maxProtocols + 1).map((protocol) => protocol.trim());
  if (all.length > maxProtocols) return '';
  return all.filter((protocol) => !isTokenProtocol(protocol)).join(', ');
}

export function isTokenProtocol(protocol: string): boolean {
  return protocol.startsWith(prefix);
}
