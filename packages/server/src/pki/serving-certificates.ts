import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import type { Logger } from '@tsukube/apiserver';
import type { KeyPair } from '@tsukube/machinery/pki';
import { parseSniCertKey, type ServeOptions, type SniCertKey, tlsSettings } from '../config/index.ts';
import { watchedFile } from '../files/watched-file.ts';

export interface DynamicServingCertificates {
  /** TLS settings with the default certificate. */
  settings(): SecureContextOptions;
  /** The certificate of --tls-sni-cert-key for a server name. */
  forName(name: string): SecureContext | undefined;
  /** Reloads changed files. */
  refresh(): void;
  stop(): void;
}

interface Parts {
  readonly options: ServeOptions;
  /** Used without --tls-cert-file. */
  readonly own: () => KeyPair;
  /** CAs announced to clients. */
  readonly authorities: () => readonly string[];
  readonly onChange: () => void;
  readonly logger: Logger;
}

/** Reloads certificate files when they change. A mismatched pair changes nothing. */
export function servingCertificates({ options, own, authorities, onChange, logger }: Parts): DynamicServingCertificates {
  const { tlsCertFile: cert, tlsPrivateKeyFile: key } = options;
  const given = cert !== undefined && key !== undefined ? { cert, key } : undefined;
  const named = options.tlsSniCertKey.map(parseSniCertKey);
  const base = () => ({ ...tlsSettings(options), ca: [...authorities()] });
  const read = () => {
    const pair = given ? { cert: readFileSync(given.cert), key: readFileSync(given.key) } : undefined;
    if (pair) createSecureContext(pair);
    return { pair, contexts: contextsByName(named, base()) };
  };
  let current = read();
  const refresh = (): void => {
    current = read();
    onChange();
  };
  const onError = (error: unknown) => logger.error('serving certificates could not be reloaded', { error: String(error) });
  const look = (): void => {
    refresh();
    logger.info('serving certificates reloaded');
  };
  const files = [...(given ? [given] : []), ...named].flatMap((pair) => [pair.cert, pair.key]);
  const watched = files.map((file) => watchedFile(file, look, onError));
  return {
    settings: () => ({ ...base(), ...(current.pair ?? { cert: own().certificate, key: own().key }) }),
    forName: (name) => matching(current.contexts, name.toLowerCase()),
    refresh,
    stop: () => {
      for (const each of watched) each.stop();
    },
  };
}

/** Earlier pairs take precedence over later ones, explicit names over those in certificates. */
function contextsByName(pairs: readonly SniCertKey[], base: SecureContextOptions): ReadonlyMap<string, SecureContext> {
  const [explicit, implicit]: [string, SecureContext][][] = [[], []];
  for (const pair of [...pairs].reverse()) {
    const cert = readFileSync(pair.cert);
    const context = createSecureContext({ ...base, cert, key: readFileSync(pair.key) });
    const isExplicit = pair.names.length > 0;
    const names = isExplicit ? pair.names : namesIn(new X509Certificate(cert));
    (isExplicit ? explicit : implicit)?.push(...names.map((name): [string, SecureContext] => [name.toLowerCase(), context]));
  }
  return new Map([...(implicit ?? []), ...(explicit ?? [])]);
}

/** The common name, if it is a host name, and the DNS names. SNI has no addresses. */
function namesIn({ subject, subjectAltName = '' }: X509Certificate): readonly string[] {
  const common = /^CN=(.*)$/m.exec(subject)?.[1] ?? '';
  const isHost = /^(\*\.)?[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(common) && !/^[\d.]+$/.test(common);
  return [...(isHost ? [common] : []), ...[...subjectAltName.matchAll(/DNS:([^,\s]+)/g)].map(([, name]) => name as string)];
}

/** A wildcard matches the first label. */
function matching(contexts: ReadonlyMap<string, SecureContext>, name: string): SecureContext | undefined {
  return contexts.get(name) ?? contexts.get(name.replace(/^[^.]*/, '*'));
}
