import { readFile } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import type { ChannelTls } from '../grpc/channel.ts';

/** PEM as text or bytes, or the path of a PEM file. */
export type Pem = string | Uint8Array;

export interface EtcdTls {
  /** CA of the members' certificates; the system's CAs if absent. */
  readonly ca?: Pem;
  readonly cert?: Pem;
  readonly key?: Pem;
}

export interface EtcdLogger {
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

export interface EtcdOptions {
  /** `http://host:port` or `https://host:port` of each member; `tls` is for the latter. */
  readonly endpoints: readonly string[];
  /** Key prefix of this store; `/registry` if absent. Other clients of the same etcd may use other prefixes. */
  readonly prefix?: string;
  readonly tls?: EtcdTls;
  readonly username?: string;
  readonly password?: string;
  /** Timeout of a request, retries included; 10 s if absent. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
  readonly logger?: EtcdLogger;
}

const DEFAULT_PORT = '2379';

/** Adds the default scheme (http) and port to an endpoint. */
export function parseEndpoint(endpoint: string): string {
  const [, scheme = 'http', host] = /^(?:(https?):\/\/)?([^/?#@]+)\/?$/.exec(endpoint) ?? [];
  if (!host) throw new TypeError(`not an etcd endpoint (http://host:port or https://host:port): ${endpoint}`);
  return `${scheme}://${/:\d+$/.test(host) ? host : `${host}:${DEFAULT_PORT}`}`;
}

export async function readTls({ ca, cert, key }: EtcdTls = {}): Promise<ChannelTls> {
  return { ca: await readPem(ca), cert: await readPem(cert), key: await readPem(key) };
}

async function readPem(source: Pem | undefined): Promise<Buffer | undefined> {
  if (source === undefined) return undefined;
  if (typeof source !== 'string') return Buffer.from(source);
  return source.includes('-----BEGIN') ? Buffer.from(source) : readFile(source);
}
