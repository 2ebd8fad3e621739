import { readFileSync } from 'node:fs';
import { type CertificatePool, type Logger, parseCertificatePool } from '@tsukube/apiserver';
import type { ServeOptions } from '../config/index.ts';
import { watchedFile } from '../files/watched-file.ts';

/** The currently trusted client CAs. */
export interface Trust {
  clients(): CertificatePool;
  /** CAs of authenticating proxies; undefined without them. */
  proxies(): CertificatePool | undefined;
  /** All CAs in PEM, which TLS announces to clients. */
  all(): readonly string[];
  stop(): void;
}

/** Reloads the CA files when they change. A file without a valid certificate changes nothing. */
export function openTrust(options: ServeOptions, own: string, onChange: () => void, logger: Logger): Trust {
  const clients = watchedAuthorities(options.clientCaFile, [own], onChange, logger);
  const proxies = watchedAuthorities(options.requestheaderClientCaFile, [], onChange, logger);
  return {
    clients: clients.pool,
    proxies: () => (options.requestheaderClientCaFile === undefined ? undefined : proxies.pool()),
    all: () => [...clients.pems(), ...proxies.pems()],
    stop() {
      clients.stop();
      proxies.stop();
    },
  };
}

function watchedAuthorities(path: string | undefined, own: readonly string[], onChange: () => void, logger: Logger) {
  let pems = path === undefined ? own : [...own, readFileSync(path, 'utf8')];
  let pool = parseCertificatePool(pems);
  const change = (text: string): void => {
    const fresh = [...own, text];
    pool = parseCertificatePool(fresh);
    pems = fresh;
    onChange();
    logger.info('CA files reloaded', { path });
  };
  const fail = (error: unknown) => logger.error('CA files could not be reloaded', { path, error: String(error) });
  const watched = path === undefined ? undefined : watchedFile(path, change, fail);
  return { pool: () => pool, pems: () => pems, stop: () => watched?.stop() };
}
