import { isIPv4 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { CertificatePool } from '@tsukube/apiserver';
import type { ServerEndpoint } from '@tsukube/controllers';
import type { ServeOptions } from './config/index.ts';

/** Host name, address and port that the server publishes. */
export function endpointOf({ advertiseAddress }: ServeOptions, port: number): ServerEndpoint {
  return { hostname: hostname(), address: isLoopback(advertiseAddress) ? addressOfHost() : advertiseAddress, port };
}

/** Like kube-apiserver, replaces a loopback address by one of the host, because pods cannot reach the former. */
function addressOfHost(): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
}

function isLoopback(address: string): boolean {
  return isIPv4(address) ? address.startsWith('127.') : address === '::1';
}

export interface AuthenticationParts {
  readonly options: ServeOptions;
  readonly clientAuthorities: () => CertificatePool;
  readonly proxyAuthorities: () => CertificatePool | undefined;
}

/** Data of the extension-apiserver-authentication ConfigMap. */
export function authenticationData(parts: AuthenticationParts): Readonly<Record<string, string>> {
  const { options, clientAuthorities, proxyAuthorities } = parts;
  const proxies = proxyAuthorities();
  const clients = { 'client-ca-file': pemOf(clientAuthorities()) };
  if (!proxies) return clients;
  return {
    ...clients,
    'requestheader-client-ca-file': pemOf(proxies),
    'requestheader-username-headers': JSON.stringify(options.requestheaderUsernameHeaders),
    'requestheader-uid-headers': JSON.stringify(options.requestheaderUidHeaders),
    'requestheader-group-headers': JSON.stringify(options.requestheaderGroupHeaders),
    'requestheader-extra-headers-prefix': JSON.stringify(options.requestheaderExtraHeadersPrefix),
    'requestheader-allowed-names': JSON.stringify(options.requestheaderAllowedNames),
  };
}

function pemOf({ roots }: CertificatePool): string {
  return roots.map((certificate) => certificate.toString()).join('');
}
