import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '@tsukube/apiserver';
import type { Store } from '@tsukube/storage';
import type { SharedLmdb } from '@tsukube/storage/lmdb';
import { isSqlStorage } from '../config/flags/sql-flags.ts';
import { type ServeOptions, UsageError } from '../config/index.ts';

/** Opens the configured store. Loads only its driver. */
/** The data dir of an embedded store. Configuration has a default for it. */
export function dataDirOf({ dataDir, storage }: ServeOptions): string {
  if (dataDir === undefined) throw new Error(`--storage ${storage} needs --data-dir`);
  return dataDir;
}

export async function openConfiguredStore(options: ServeOptions, logger: Logger, shared?: SharedLmdb): Promise<Store> {
  if (options.storage === 'memory') {
    const { openMemory } = await import('@tsukube/storage/memory');
    return openMemory();
  }
  if (options.storage === 'lmdb') {
    const { openLmdb } = await import('@tsukube/storage/lmdb');
    const dataDir = dataDirOf(options);
    return openLmdb({ path: join(dataDir, 'data'), noSync: options.unsafeNoFsync, logger, ...(shared && { shared }) }).catch(
      (error) => {
        throw error.name === 'DamagedDatabase' ? withRemedy(error, dataDir) : error;
      },
    );
  }
  if (isSqlStorage(options.storage)) return openSqlStorage(options.storage, options, logger);
  const { openEtcd } = await import('@tsukube/storage/etcd');
  return openEtcd({
    endpoints: options.etcdServers,
    prefix: options.etcdPrefix,
    tls: { ca: file(options.etcdCafile), cert: file(options.etcdCertfile), key: file(options.etcdKeyfile) },
    username: options.etcdUsername,
    password: text(options.etcdPasswordFile),
    logger,
  });
}

async function openSqlStorage(storage: 'postgres' | 'mysql', options: ServeOptions, logger: Logger): Promise<Store> {
  const sql = {
    dsn: options.storageDsn ?? text(options.storageDsnFile) ?? '',
    password: text(options.storagePasswordFile),
    tls: { ca: file(options.storageCafile), cert: file(options.storageCertfile), key: file(options.storageKeyfile) },
    logger,
  };
  try {
    if (storage === 'postgres') return await (await import('@tsukube/storage/postgres')).openPostgres(sql);
    return await (await import('@tsukube/storage/mysql')).openMysql(sql);
  } catch (error) {
    const source = options.storageDsn === undefined ? '--storage-dsn-file' : '--storage-dsn';
    throw error instanceof Error && error.name === 'BadDsn' ? new UsageError(`${source}: ${error.message}`) : error;
  }
}

/** Adds a remedy to the error of a damaged database. */
function withRemedy(error: Error, dataDir: string): Error {
  const remedy = `restore a backup of ${dataDir}, or save what is whole with: tsukube repair --data-dir ${dataDir}`;
  return new Error(`${error.message}; ${remedy}`, { cause: error });
}

function file(path: string | undefined): Buffer | undefined {
  return path === undefined ? undefined : readFileSync(path);
}

function text(path: string | undefined): string | undefined {
  return file(path)?.toString('utf8').trim();
}
