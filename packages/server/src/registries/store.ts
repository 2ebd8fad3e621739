import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@tsukube/apiserver';
import type { Store } from '@tsukube/storage';
import type { SharedLmdb } from '@tsukube/storage/lmdb';
import type { ServeOptions } from '../config/index.ts';

/** Opens the configured store. Loads only its driver. */
export async function openConfiguredStore(options: ServeOptions, logger: Logger, shared?: SharedLmdb): Promise<Store> {
  if (options.storage === 'memory') {
    const { openMemory } = await import('@tsukube/storage/memory');
    return openMemory();
  }
  if (options.storage === 'lmdb') {
    const { openLmdb } = await import('@tsukube/storage/lmdb');
    const path = join(options.dataDir as string, 'data');
    return openLmdb({ path, noSync: options.unsafeNoFsync, logger, ...(shared && { shared }) }).catch((error) => {
      throw error.name === 'DamagedDatabase' ? withRemedy(error, options.dataDir as string) : error;
    });
  }
  const { openEtcd } = await import('@tsukube/storage/etcd');
  return openEtcd({
    endpoints: options.etcdServers,
    prefix: options.etcdPrefix,
    tls: { ca: file(options.etcdCafile), cert: file(options.etcdCertfile), key: file(options.etcdKeyfile) },
    username: options.etcdUsername,
    password: file(options.etcdPasswordFile)?.toString('utf8').trim(),
    logger,
  });
}

/** Adds a remedy to the error of a damaged database. */
function withRemedy(error: Error, dataDir: string): Error {
  const remedy = `restore a backup of ${dataDir}, or save what is whole with: tsukube repair --data-dir ${dataDir}`;
  return new Error(`${error.message}; ${remedy}`, { cause: error });
}

function file(path: string | undefined): Buffer | undefined {
  return path === undefined ? undefined : readFileSync(path);
}
