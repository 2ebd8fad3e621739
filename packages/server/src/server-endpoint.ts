import { X509Certificate } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import type { CertificatePool } from '@tsukube/apiserver';
import type { ServerEndpoint } from '@tsukube/controllers';
import type { FrontProxy } from './certificates.ts';
import type { ServeOptions } from './config/index.ts';

/** Host name, address and port that the server publishes. */
export function publishedEndpoint({ advertiseAddress }: ServeOptions, port: number): ServerEndpoint {
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

interface ClientAuthorities {
  readonly options: ServeOptions;
  readonly clientAuthorities: () => CertificatePool;
  readonly proxyAuthorities: () => CertificatePool | undefined;
  readonly frontProxy: () => FrontProxy;
}

/** Data of the extension-apiserver-authentication ConfigMap. */
export function authenticationData(parts: ClientAuthorities): Readonly<Record<string, string>> {
  const { options, clientAuthorities, proxyAuthorities } = parts;
  const proxies = proxyAuthorities();
  const clients = { 'client-ca-file': pemOf(clientAuthorities()) };
  if (!proxies) return { ...clients, ...ownProxy(parts.frontProxy()) };
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

/** Without flags, aggregated API servers trust the headers of this server, by its own front-proxy CA. */
function ownProxy({ ca, client }: FrontProxy): Readonly<Record<string, string>> {
  if (ca === undefined) return {};
  const { subject } = new X509Certificate(client.certificate);
  return {
    'requestheader-client-ca-file': ca,
    'requestheader-username-headers': '["X-Remote-User"]',
    'requestheader-uid-headers': '["X-Remote-Uid"]',
    'requestheader-group-headers': '["X-Remote-Group"]',
    'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
    'requestheader-allowed-names': JSON.stringify([subject.replace(/^CN=/, '')]),
  };
}

function pemOf({ roots }: CertificatePool): string {
  return roots.map((certificate) => certificate.toString()).join('');
}
