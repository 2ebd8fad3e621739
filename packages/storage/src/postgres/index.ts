import { openSqlStore, type SqlOptions } from '../sql/open.ts';
import type { Store } from '../store.ts';
import { PostgresDialect } from './dialect.ts';

export type { SqlLogger } from '../sql/dialect.ts';
export { BadDsn, type SqlPem, type SqlTls } from '../sql/dsn.ts';
export type { SqlOptions } from '../sql/open.ts';

/** Opens a store on PostgreSQL 12 or later. Creates or upgrades its tables. Throws BadDsn, or an error that says what is wrong. */
export async function openPostgres(options: SqlOptions): Promise<Store> {
  return openSqlStore(await PostgresDialect.open(options), options);
}
