import type { Exchange } from '@tsukube/transport';
import type { User } from '../http/api-request.ts';
import { type Authenticator, type FailedAuthentication, refused } from './authenticator.ts';
import { type CertificatePool, certificateCache } from './client-certificate.ts';

/** Header names by purpose, in any case. */
export interface ProxyHeaders {
  readonly username: readonly string[];
  readonly uid: readonly string[];
  readonly group: readonly string[];
  readonly extraPrefix: readonly string[];
}

export interface RequestHeaderOptions {
  /** CAs of the proxies' client certificates. */
  readonly pool: () => CertificatePool | undefined;
  /** Allowed common names of proxies; empty allows any. */
  readonly allowedNames: readonly string[];
  readonly headers: ProxyHeaders;
  readonly commonNameOf: (certificate: Buffer) => string | undefined;
  readonly now?: () => number;
}

/** Authenticating proxy: trusts the headers only on connections with a trusted proxy certificate. */
export function requestHeaderAuthenticator(options: RequestHeaderOptions): Authenticator {
  const headers = lowerCase(options.headers);
  const read = (certificate: Buffer): true | FailedAuthentication => {
    const name = options.commonNameOf(certificate) ?? '';
    if (options.allowedNames.length === 0 || options.allowedNames.includes(name)) return true;
    return refused(`x509: subject with cn=${name} is not in the allowed list`);
  };
  const isProxy = certificateCache(options.pool, read, options.now ?? Date.now);
  return function byRequestHeader({ exchange }) {
    const proxy = isProxy(exchange.connection);
    if (proxy === undefined) return undefined;
    if (proxy !== true) return proxy;
    const user = userIn(exchange, headers);
    return user && { user };
  };
}

/** Whether a header is one of the proxy headers. */
export function isProxyHeader(headers: ProxyHeaders): (name: string) => boolean {
  const { username, uid, group, extraPrefix } = lowerCase(headers);
  const names = new Set([...username, ...uid, ...group]);
  return (name) => names.has(name) || extraPrefix.some((prefix) => name.startsWith(prefix));
}

function lowerCase({ username, uid, group, extraPrefix }: ProxyHeaders): ProxyHeaders {
  const lower = (names: readonly string[]) => names.map((name) => name.trim().toLowerCase());
  return { username: lower(username), uid: lower(uid), group: lower(group), extraPrefix: lower(extraPrefix) };
}

function userIn(exchange: Exchange, headers: ProxyHeaders): User | undefined {
  const sent: (readonly [string, string])[] = [];
  exchange.eachHeader((name, value) => sent.push([name, value]));
  const valuesOf = (name: string) => sent.filter(([each, value]) => each === name && value !== '').map(([, value]) => value);
  const firstOf = (names: readonly string[]) => names.map((name) => firstValue(sent, name)).find((value) => value !== '') ?? '';
  const name = firstOf(headers.username);
  if (name === '') return undefined;
  const extra = extraIn(sent, headers.extraPrefix);
  const uid = firstOf(headers.uid);
  return { name, ...(uid !== '' && { uid }), groups: headers.group.flatMap(valuesOf), ...(extra && { extra }) };
}

function firstValue(sent: readonly (readonly [string, string])[], name: string): string {
  return sent.find(([each]) => each === name)?.[1] ?? '';
}

function extraIn(
  sent: readonly (readonly [string, string])[],
  prefixes: readonly string[],
): Readonly<Record<string, readonly string[]>> | undefined {
  const found = new Map<string, string[]>();
  for (const prefix of prefixes) {
    for (const [name, value] of sent) {
      if (!name.startsWith(prefix)) continue;
      const key = unescaped(name.slice(prefix.length));
      const values = found.get(key);
      if (values) values.push(value);
      else found.set(key, [value]);
    }
  }
  return found.size === 0 ? undefined : Object.fromEntries(found);
}

/** Keys may be percent-encoded; invalid encodings are taken literally. */
function unescaped(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
