import { type Flag, flagName } from './flag.ts';
import { inputFile, optionalText } from './flag-types.ts';
import { UsageError } from './usage-error.ts';

const common = { origin: 'tsukube', group: 'Storage' } as const;

/** Flags of `--storage postgres` and `--storage mysql`. */
export const sqlFlags = {
  storageDsn: secret({
    ...optionalText({
      ...common,
      placeholder: 'URL',
      help: 'Database of --storage postgres or mysql: postgres://USER:PASSWORD@HOST:PORT/DATABASE or mysql://…; several hosts are separated by commas.',
    }),
  }),
  storageDsnFile: inputFile({ ...common, help: 'File that holds the URL instead of --storage-dsn.' }),
  storagePasswordFile: inputFile({
    ...common,
    help: 'File that holds the password of the database user; overrides that of the URL.',
  }),
  storageCafile: inputFile({
    ...common,
    help: 'CA certificates of the database server; with it, connections use TLS. By default the CAs of the system.',
  }),
  storageCertfile: inputFile({ ...common, help: 'Client certificate for the database.' }),
  storageKeyfile: inputFile({ ...common, help: 'Private key of --storage-certfile.' }),
};

type SqlOptionName = keyof typeof sqlFlags;
type Given = { readonly [K in SqlOptionName]?: string | undefined } & { readonly storage?: string | undefined };

/** The value is not shown in /flagz. */
function secret<T>(flag: Flag<T>): Flag<T> {
  return { ...flag, isSecret: true };
}

export function isSqlStorage(storage: string | undefined): storage is 'postgres' | 'mysql' {
  return storage === 'postgres' || storage === 'mysql';
}

export function checkSqlStorage(given: Given): void {
  const { storage, storageDsn, storageDsnFile } = given;
  if (!isSqlStorage(storage)) {
    const useless = (Object.keys(sqlFlags) as SqlOptionName[]).find((name) => given[name] !== undefined);
    if (useless) throw new UsageError(`--${flagName(useless)} requires --storage postgres or --storage mysql`);
    return;
  }
  if (storageDsn === undefined && storageDsnFile === undefined)
    throw new UsageError(`--storage ${storage} needs --storage-dsn or --storage-dsn-file`);
  if (storageDsn !== undefined && storageDsnFile !== undefined)
    throw new UsageError('--storage-dsn and --storage-dsn-file must not be given together');
}
