import { BlockList, isIP } from 'node:net';
import {
  type AdmissionBody,
  type Backend,
  type Connect,
  connectSubresource,
  escapedPath,
  isUpgradeRequest,
  joinedPath,
  proxyRequest,
  proxyUpgrade,
  type ResourceRequest,
  type Subresource,
  subpathOf,
} from '@tsukube/apiserver';
import { goQuote, StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { schemaOf } from './schema.ts';

/** The name in a request to a proxy. */
export interface ProxyName {
  /** Empty if it is not given. */
  readonly scheme: '' | 'http' | 'https';
  readonly name: string;
  readonly port: string;
}

/** Splits `name`, `name:port` or `scheme:name:port`. Throws 400 for other forms. */
export function splitSchemeNamePort(text: string, kind: string): ProxyName {
  const parts = text.split(':');
  const [scheme = '', name = '', port = ''] = parts.length > 2 ? parts : ['', ...parts];
  if (parts.length > 3 || name === '' || (scheme !== '' && scheme !== 'http' && scheme !== 'https'))
    throw StatusError.badRequest(`invalid ${kind} request ${goQuote(text)}`);
  return { scheme, name, port };
}

/** Forwards a request to the path behind the subresource. */
export async function proxyTo(request: ResourceRequest, backend: Backend): Promise<Answer> {
  const path = joinedPath(subpathOf(request));
  checkPort(backend);
  return isUpgradeRequest(request)
    ? proxyUpgrade(request, backend, escapedPath(path) || '/')
    : proxyRequest(request, backend, path);
}

/** Go looks up names of ports; few systems have any. */
function checkPort({ port }: Backend): void {
  if (/^\d{0,5}$/.test(port) && Number(port) <= 65_535) return;
  const problem = /^\d+$/.test(port) ? `address ${port}: invalid port` : `lookup tcp/${port}: unknown port`;
  throw StatusError.serviceUnavailable(`error trying to reach service: dial tcp: ${problem}`);
}

/** Addresses of one machine or of many: requests to them would reach this server's own host or network segment. */
const notGlobal = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 32],
  ['255.255.255.255', 32],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
] as const)
  notGlobal.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  notGlobal.addSubnet(address, prefix, 'ipv6');

/** Whether the text is an IP address that a proxy may connect to. */
export function isGlobalUnicast(text: string): boolean {
  const version = isIP(text);
  return version !== 0 && !notGlobal.check(text, version === 4 ? 'ipv4' : 'ipv6');
}

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];

/** The `proxy` subresource of a kind. */
export function proxySubresource(kind: string, connect: Connect): Subresource {
  return connectSubresource(connectOptions(kind), methods, connect);
}

/** The options of a connection, a kind of the core group. */
export function connectOptions(kind: string): AdmissionBody {
  return { group: '', version: 'v1', kind, schema: schemaOf(`core.v1.${kind}`) };
}
