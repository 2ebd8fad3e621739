import { type CertificatePool, type ProxyHeaders, parseCertificatePool } from '@tsukube/apiserver';

export const configMapName = 'extension-apiserver-authentication';
export const configMapNamespace = 'kube-system';

/** How the main API server authenticates clients and proxies: the content of the ConfigMap extension-apiserver-authentication. */
export interface AuthenticationConfig {
  /** CAs of client certificates. */
  readonly clients: CertificatePool | undefined;
  /** CAs of proxies, whose headers are trusted. */
  readonly proxies: CertificatePool | undefined;
  /** Common names of proxies; empty allows any certificate of their CAs. */
  readonly allowedNames: readonly string[];
  readonly headers: ProxyHeaders;
  /** All CAs in PEM, for TLS. */
  readonly authorities: readonly string[];
}

/** Throws if a bundle has no certificate, or a list is not a JSON array of strings. */
export function parseAuthenticationConfig(data: Readonly<Record<string, string>>): AuthenticationConfig {
  const clients = data['client-ca-file'] ?? '';
  const proxies = data['requestheader-client-ca-file'] ?? '';
  return {
    clients: poolOf('client-ca-file', clients),
    proxies: poolOf('requestheader-client-ca-file', proxies),
    allowedNames: listIn(data, 'requestheader-allowed-names'),
    headers: {
      username: listIn(data, 'requestheader-username-headers'),
      uid: listIn(data, 'requestheader-uid-headers'),
      group: listIn(data, 'requestheader-group-headers'),
      extraPrefix: listIn(data, 'requestheader-extra-headers-prefix'),
    },
    authorities: [clients, proxies].filter((pem) => pem !== ''),
  };
}

function poolOf(key: string, pem: string): CertificatePool | undefined {
  if (pem === '') return undefined;
  try {
    return parseCertificatePool([pem]);
  } catch (error) {
    throw new Error(`${key}: ${(error as Error).message}`);
  }
}

function listIn(data: Readonly<Record<string, string>>, key: string): readonly string[] {
  const text = data[key] ?? '';
  if (text === '') return [];
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!Array.isArray(value) || !value.every((each): each is string => typeof each === 'string'))
    throw new Error(`${key}: expected a JSON array of strings`);
  return value;
}
