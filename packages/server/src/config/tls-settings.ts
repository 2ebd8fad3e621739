import type { SecureContextOptions, SecureVersion } from 'node:tls';
import { cipherSuites } from './cipher-suites.ts';
import type { ServeOptions } from './options.ts';

const versions = {
  VersionTLS10: 'TLSv1',
  VersionTLS11: 'TLSv1.1',
  VersionTLS12: 'TLSv1.2',
  VersionTLS13: 'TLSv1.3',
} as const satisfies Record<ServeOptions['tlsMinVersion'], SecureVersion>;

/** What node:tls calls `--tls-min-version` and `--tls-cipher-suites`. */
export function tlsSettings(options: Pick<ServeOptions, 'tlsMinVersion' | 'tlsCipherSuites'>): SecureContextOptions {
  const minVersion = versions[options.tlsMinVersion];
  if (options.tlsCipherSuites.length === 0) return { minVersion };
  return { minVersion, ciphers: [...suitesOf13(), ...named(options.tlsCipherSuites)].join(':') };
}

/** As in Go, the suites of TLS 1.3 cannot be chosen: all of them are always on. */
function suitesOf13(): string[] {
  return Object.keys(cipherSuites).filter((name) => !name.includes('_WITH_'));
}

function named(suites: readonly string[]): string[] {
  return suites.filter((name) => name.includes('_WITH_')).flatMap((name) => cipherSuites[name] ?? []);
}
