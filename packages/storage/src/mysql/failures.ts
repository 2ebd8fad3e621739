import type { SqlFailure } from '../sql/dialect.ts';
import { isNetworkError } from '../sql/failures.ts';

/** Error numbers of MySQL and MariaDB. */
const FAILURES: readonly (readonly [SqlFailure, readonly number[]])[] = [
  // Too many connections, shutdown, lock wait timeout, deadlock, query killed, execution time exceeded.
  ['retry', [1040, 1203, 1053, 1205, 1213, 1317, 3024]],
  // Network errors as the server sees them, connection killed, idle timeout.
  ['lost', [1158, 1159, 1160, 1161, 1184, 1927, 4031]],
  ['read-only', [1290, 1836]],
  ['full', [3, 1021, 1026, 1114]],
  // Access denied in its forms, unknown database, host not allowed.
  ['refused', [1044, 1045, 1049, 1130, 1142, 1143, 1227, 1370, 1698]],
];

export function mysqlFailure(error: unknown): SqlFailure {
  const { code, errno, fatal } = error as { readonly code?: unknown; readonly errno?: unknown; readonly fatal?: unknown };
  const known = FAILURES.find(([, numbers]) => numbers.includes(errno as number))?.[0];
  if (known) return known;
  if (/^ERR_(SSL|TLS)/.test(String(code))) return 'refused';
  return isNetworkError(error) || code === 'PROTOCOL_CONNECTION_LOST' || fatal === true ? 'lost' : 'other';
}
