import { AddressError, parseAddr } from '../../net/netip.ts';
import { goQuote } from '../../text/go-quote.ts';
import { boolType, type CelType, listType, mapType, stringType } from '../types/type.ts';
import { HashMap } from '../values/hash-map.ts';
import { ArrayList, CelError, CelOpaque, type CelValue, noSuchOverload } from '../values/value.ts';
import { type CelLibrary, declare, type FunctionDeclaration, globalOverload, memberOverload } from './declarations.ts';

const urlType: CelType = { kind: 'object', name: 'kubernetes.URL', params: [] };

class UrlValue extends CelOpaque {
  readonly type = urlType;
  readonly url: GoUrl;
  constructor(url: GoUrl) {
    super();
    this.url = url;
  }
  equals(other: CelValue): CelValue {
    return other instanceof UrlValue ? other.text() === this.text() : noSuchOverload;
  }
  override text(): string {
    return urlText(this.url);
  }
}

/** Returns the error if the text is not a valid request URI. */
export function urlProblem(text: string): string | undefined {
  try {
    parseRequestURI(text);
    return undefined;
  } catch (error) {
    if (error instanceof GoUrlError) return error.message;
    throw error;
  }
}

function readUrl(text: string): CelValue {
  try {
    parseRequestURI(text);
    return new UrlValue(parseUrl(text));
  } catch (error) {
    if (!(error instanceof GoUrlError)) throw error;
    return new CelError(`URL parse error during conversion from string: ${error.message}`);
  }
}

function getQuery(url: GoUrl): CelValue {
  const query = new HashMap();
  for (const [key, values] of queryOf(url)) query.set(key, new ArrayList(values));
  return query;
}

function getter(name: string, id: string, read: (url: GoUrl) => CelValue, result: CelType = stringType): FunctionDeclaration {
  return declare(
    name,
    memberOverload(id, [urlType], result, (value: UrlValue) => read(value.url)),
  );
}

export const urlsLibrary: CelLibrary = {
  functions: [
    declare('url', globalOverload('string_to_url', [stringType], urlType, readUrl)),
    declare(
      'isURL',
      globalOverload('is_url_string', [stringType], boolType, (text: string) => urlProblem(text) === undefined),
    ),
    getter('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
    getter('getHost', 'url_get_host', ({ host }) => host),
    getter('getHostname', 'url_get_hostname', (url) => hostAndPort(url).hostname),
    getter('getPort', 'url_get_port', (url) => hostAndPort(url).port),
    getter('getEscapedPath', 'url_get_escaped_path', escapedPath),
    getter('getQuery', 'url_get_query', getQuery, mapType(stringType, listType(stringType))),
  ],
};

/** The parts of a URL as Go's net/url splits it. */
interface GoUrl {
  readonly scheme: string;
  readonly opaque: string;
  readonly user: string | undefined;
  readonly host: string;
  /** The path as written, before decoding. */
  readonly rawPath: string;
  readonly rawQuery: string;
  readonly fragment: string;
}

/** Invalid URL; the message equals Go's. */
class GoUrlError extends Error {
  override readonly name = 'GoUrlError';
}

/** Go's url.ParseRequestURI: an absolute URL or an absolute path; a fragment is part of the path. Throws GoUrlError. */
function parseRequestURI(text: string): GoUrl {
  return named(text, () => parse(text, true, ''));
}

/** Go's url.Parse. Throws GoUrlError. */
export function parseUrl(text: string): GoUrl {
  const hash = text.indexOf('#');
  const [before, fragment] = hash < 0 ? [text, ''] : [text.slice(0, hash), text.slice(hash + 1)];
  return named(text, () => {
    checkEscapes(fragment);
    return parse(before, false, fragment);
  });
}

function named(text: string, read: () => GoUrl): GoUrl {
  try {
    return read();
  } catch (error) {
    throw error instanceof GoUrlError ? new GoUrlError(`parse ${goQuote(text)}: ${error.message}`) : error;
  }
}

function parse(text: string, request: boolean, fragment: string): GoUrl {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that no URL has.
  if (/[\x00-\x1f\x7f]/.test(text)) throw new GoUrlError('net/url: invalid control character in URL');
  if (text === '' && request) throw new GoUrlError('empty url');
  const base = { scheme: '', opaque: '', user: undefined, host: '', rawPath: '', rawQuery: '', fragment };
  if (text === '*') return { ...base, rawPath: '*' };
  const { scheme, rest } = splitScheme(text);
  const question = rest.indexOf('?');
  const rawQuery = question < 0 ? '' : rest.slice(question + 1);
  const path = question < 0 ? rest : rest.slice(0, question);
  if (!path.startsWith('/') && scheme !== '') return { ...base, scheme, opaque: path, rawQuery };
  if (!path.startsWith('/')) checkRelative(path, request);
  const hasAuthority = path.startsWith('//') && (scheme !== '' || (!request && !path.startsWith('///')));
  const parts = hasAuthority ? splitAuthority(scheme, path.slice(2)) : { user: undefined, host: '', rawPath: path };
  checkEscapes(parts.rawPath);
  return { ...base, ...parts, scheme, rawQuery };
}

function splitScheme(text: string): { scheme: string; rest: string } {
  if (text.startsWith(':')) throw new GoUrlError('missing protocol scheme');
  const scheme = /^([a-zA-Z][a-zA-Z0-9+.-]*):/.exec(text)?.[1];
  if (scheme === undefined) return { scheme: '', rest: text };
  return { scheme: scheme.toLowerCase(), rest: text.slice(scheme.length + 1) };
}

function checkRelative(path: string, request: boolean): void {
  if (request) throw new GoUrlError('invalid URI for request');
  if ((path.split('/')[0] ?? '').includes(':')) throw new GoUrlError('first path segment in URL cannot contain colon');
}

function splitAuthority(scheme: string, text: string): Pick<GoUrl, 'user' | 'host' | 'rawPath'> {
  const slash = text.indexOf('/');
  const [authority, rawPath] = slash < 0 ? [text, ''] : [text.slice(0, slash), text.slice(slash)];
  const at = authority.lastIndexOf('@');
  const host = readHost(scheme, authority.slice(at + 1));
  if (at < 0) return { user: undefined, host, rawPath };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/.test(user)) throw new GoUrlError('net/url: invalid userinfo');
  checkEscapes(user);
  return { user, host, rawPath };
}

function readHost(scheme: string, host: string): string {
  const bracket = host.lastIndexOf('[');
  if (bracket > 0) throw new GoUrlError('invalid IP-literal');
  if (bracket === 0) return readLiteral(host);
  const [first, last] = [host.indexOf(':'), host.lastIndexOf(':')];
  const strict = scheme === 'http' || scheme === 'https';
  if (first >= 0) checkPort(host.slice(strict ? first : last));
  return unescapeHost(host);
}

function readLiteral(host: string): string {
  const close = host.lastIndexOf(']');
  if (close < 0) throw new GoUrlError("missing ']' in host");
  checkPort(host.slice(close + 1));
  const address = unescapeHost(host.slice(1, close));
  try {
    if (parseAddr(address).bits === 32) throw new GoUrlError('invalid IP-literal');
  } catch (error) {
    throw error instanceof AddressError ? new GoUrlError(`invalid host: ${error.message}`) : error;
  }
  return `[${address}]${host.slice(close + 1)}`;
}

function checkPort(port: string): void {
  if (!isPort(port)) throw new GoUrlError(`invalid port ${goQuote(port)} after host`);
}

function isPort(port: string): boolean {
  return /^(:[0-9]*)?$/.test(port);
}

const badEscape = /%(?![0-9a-fA-F]{2})/;

function checkEscapes(text: string): void {
  const match = badEscape.exec(text);
  if (match) throw new GoUrlError(`invalid URL escape ${goQuote(text.slice(match.index, match.index + 3))}`);
}

/** In a host only non-ASCII bytes and the percent sign may be percent-encoded. */
function unescapeHost(host: string): string {
  checkEscapes(host);
  const escaped = /%(?!25)[0-7][0-9a-fA-F]/.exec(host);
  if (escaped) throw new GoUrlError(`invalid URL escape ${goQuote(escaped[0])}`);
  const invalid = /[^A-Za-z0-9!$&'()*+,;=:[\]<>"._~%\u0080-\uffff-]/.exec(host);
  if (invalid) throw new GoUrlError(`invalid character ${goQuote(invalid[0])} in host name`);
  return unescapeText(host);
}

function unescapeText(text: string): string {
  return bytesOf(text).toString('utf8');
}

/** Percent-decodes to bytes. */
function bytesOf(text: string): Buffer {
  if (!text.includes('%')) return Buffer.from(text);
  const parts = text.split(/%([0-9a-fA-F]{2})/);
  return Buffer.concat(parts.map((part, i) => (i % 2 === 0 ? Buffer.from(part) : Buffer.from(part, 'hex'))));
}

/** The path as written if it is validly encoded, else encoded again. */
function escapedPath({ rawPath }: GoUrl): string {
  if (rawPath === '*' || /^[A-Za-z0-9._~$&+,/:;=@!'()*[\]%-]*$/.test(rawPath)) return rawPath;
  return escapeBytes(bytesOf(rawPath));
}

function escapeBytes(bytes: Buffer): string {
  let text = '';
  for (const byte of bytes) {
    const character = String.fromCharCode(byte);
    text += /[A-Za-z0-9._~$&+,/:;=@-]/.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

function hostAndPort({ host }: GoUrl): { hostname: string; port: string } {
  const colon = host.lastIndexOf(':');
  const split = colon >= 0 && isPort(host.slice(colon));
  const name = split ? host.slice(0, colon) : host;
  const hostname = name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name;
  return { hostname, port: split ? host.slice(colon + 1) : '' };
}

/** Query parameters in the order of the text; invalid ones are skipped. */
function queryOf({ rawQuery }: GoUrl): Map<string, string[]> {
  const query = new Map<string, string[]>();
  for (const pair of rawQuery.split('&')) {
    if (pair === '' || pair.includes(';') || badEscape.test(pair)) continue;
    const equals = pair.indexOf('=');
    const [key, value] = (equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)]).map((part) =>
      unescapeText(part.replaceAll('+', ' ')),
    ) as [string, string];
    const known = query.get(key);
    if (known === undefined) query.set(key, [value]);
    else known.push(value);
  }
  return query;
}

function urlText(url: GoUrl): string {
  const { scheme, opaque, user, host, rawQuery, fragment } = url;
  const start = scheme === '' ? '' : `${scheme}:`;
  const authority = host !== '' || user !== undefined ? `//${user === undefined ? '' : `${user}@`}${host}` : '';
  const query = rawQuery === '' ? '' : `?${rawQuery}`;
  return `${start}${opaque === '' ? authority + escapedPath(url) : opaque}${query}${fragment === '' ? '' : `#${fragment}`}`;
}
