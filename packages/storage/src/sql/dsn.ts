import { readFile } from 'node:fs/promises';
import type { ConnectionOptions } from 'node:tls';

/** PEM as text or bytes, or the path of a PEM file. */
export type SqlPem = string | Uint8Array;

export interface SqlTls {
  /** CA of the server's certificate; the system's CAs if absent. */
  readonly ca?: SqlPem | undefined;
  readonly cert?: SqlPem | undefined;
  readonly key?: SqlPem | undefined;
}

/** The DSN cannot be used. The message does not contain its password. */
export class BadDsn extends Error {
  override readonly name = 'BadDsn';
}

export interface SqlHost {
  readonly host: string;
  readonly port: number;
}

/** Where and how to connect. */
export interface SqlAddress {
  /** Tried in order until one takes writes. */
  readonly hosts: readonly SqlHost[];
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  /** Undefined for a connection without TLS. */
  readonly tls: ConnectionOptions | undefined;
  readonly parameters: ReadonlyMap<string, string>;
}

interface DsnSyntax {
  readonly schemes: readonly string[];
  readonly port: number;
  readonly parameters: readonly string[];
}

const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type TlsMode = (typeof TLS_MODES)[number];

/** The parts of `scheme://user:password@host:port,host:port/database?name=value`. */
export function parseDsn(dsn: string, syntax: DsnSyntax): Omit<SqlAddress, 'tls'> & { readonly tlsMode: TlsMode | undefined } {
  const example = `${syntax.schemes[0]}://USER:PASSWORD@HOST:${syntax.port}/DATABASE`;
  const [scheme = '', rest] = split(dsn.trim(), '://');
  if (rest === undefined || !syntax.schemes.includes(scheme)) throw new BadDsn(`it must have the form ${example}`);
  const [beforeQuery, query = ''] = split(rest, '?');
  const [authority, database = ''] = split(beforeQuery, '/');
  const at = authority.lastIndexOf('@');
  const [user = '', password] = at < 0 ? [] : split(authority.slice(0, at), ':');
  if (database === '') throw new BadDsn(`it names no database; it must have the form ${example}`);
  const parameters = parseQuery(query, syntax.parameters);
  const socket = parameters.get('socket') ?? parameters.get('host');
  const hosts = socket === undefined ? parseHosts(authority.slice(at + 1), syntax.port) : [{ host: socket, port: syntax.port }];
  return {
    hosts,
    user: decode(user, 'user'),
    password: password === undefined ? undefined : decode(password, 'password'),
    database: decode(database, 'database'),
    parameters,
    tlsMode: tlsMode(parameters.get('sslmode') ?? parameters.get('ssl-mode')),
  };
}

/** The address of a DSN with TLS files and, if the DSN has none, a password. */
export async function resolveAddress(
  dsn: string,
  syntax: DsnSyntax,
  { tls, password }: { readonly tls?: SqlTls | undefined; readonly password?: string | undefined },
): Promise<SqlAddress> {
  const parsed = parseDsn(dsn, syntax);
  return { ...parsed, password: password ?? parsed.password, tls: await tlsOptions(parsed.tlsMode, parsed.hosts, tls ?? {}) };
}

/** TLS is verified unless the DSN says otherwise; connections within the machine need none. */
async function tlsOptions(
  mode: TlsMode | undefined,
  hosts: readonly SqlHost[],
  tls: SqlTls,
): Promise<ConnectionOptions | undefined> {
  const hasFiles = tls.ca !== undefined || tls.cert !== undefined;
  if (mode === 'disable' && hasFiles) throw new BadDsn('sslmode=disable contradicts the TLS files');
  if (mode === 'disable' || (mode === undefined && !hasFiles && hosts.every(isLocal))) return undefined;
  const files = { ca: await readPem(tls.ca), cert: await readPem(tls.cert), key: await readPem(tls.key) };
  return {
    ...Object.fromEntries(Object.entries(files).filter(([, file]) => file !== undefined)),
    rejectUnauthorized: mode !== 'require',
    ...(mode === 'verify-ca' && { checkServerIdentity: () => undefined }),
  };
}

function isLocal({ host }: SqlHost): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.') || host.startsWith('/');
}

function parseHosts(list: string, defaultPort: number): SqlHost[] {
  return list.split(',').map((each) => {
    const bracket = each.startsWith('[') ? each.indexOf(']') : -1;
    const colon = each.indexOf(':', Math.max(bracket, 0));
    const host = bracket > 0 ? each.slice(1, bracket) : colon < 0 ? each : each.slice(0, colon);
    const port = colon < 0 ? defaultPort : Number(each.slice(colon + 1));
    if (host === '') throw new BadDsn('it names no host');
    if (!Number.isInteger(port) || port < 1 || port > 65535) throw new BadDsn(`"${each.slice(colon + 1)}" is not a port`);
    return { host, port };
  });
}

function parseQuery(query: string, known: readonly string[]): Map<string, string> {
  const parameters = new Map(new URLSearchParams(query));
  for (const name of parameters.keys())
    if (!known.includes(name)) throw new BadDsn(`unknown parameter "${name}"; known are ${known.join(', ')}`);
  return parameters;
}

function tlsMode(mode: string | undefined): TlsMode | undefined {
  const known = TLS_MODES.find((each) => each === mode?.toLowerCase());
  if (mode !== undefined && !known) throw new BadDsn(`sslmode must be one of ${TLS_MODES.join(', ')}`);
  return known;
}

function decode(text: string, part: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new BadDsn(`its ${part} is not percent-encoded`);
  }
}

function split(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

async function readPem(source: SqlPem | undefined): Promise<Buffer | undefined> {
  if (source === undefined) return undefined;
  if (typeof source !== 'string') return Buffer.from(source);
  return source.includes('-----BEGIN') ? Buffer.from(source) : readFile(source);
}
