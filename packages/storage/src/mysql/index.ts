import { openSqlStore, type SqlOptions } from '../sql/open.ts';
import type { Store } from '../store.ts';
import { MysqlDialect } from './dialect.ts';

export type { SqlLogger } from '../sql/dialect.ts';
export { BadDsn, type SqlPem, type SqlTls } from '../sql/dsn.ts';
export type { SqlOptions } from '../sql/open.ts';

/**
 * Opens a store on MySQL 8.0 or MariaDB 10.6, or later. Creates or upgrades its tables. Throws BadDsn, or an error that says what
 * is wrong.
 */
export async function openMysql(options: SqlOptions): Promise<Store> {
  return openSqlStore(await MysqlDialect.open(options), options);
}
