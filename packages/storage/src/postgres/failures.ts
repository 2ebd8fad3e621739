import type { SqlFailure } from '../sql/dialect.ts';
import { isNetworkError } from '../sql/failures.ts';

/** SQLSTATE codes, or classes of two characters. */
const FAILURES: readonly (readonly [SqlFailure, readonly string[]])[] = [
  ['retry', ['40', '55P03', '53300', '57P03', '57014', '25P03', '25P04']],
  ['lost', ['08', '57P01', '57P02', '57P05']],
  ['read-only', ['25006']],
  ['full', ['53100']],
  ['refused', ['28', '3D', '42501', '3F']],
];

export function postgresFailure(error: unknown): SqlFailure {
  if (isNetworkError(error)) return 'lost';
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code !== 'string') return String(message).includes('onnection terminated') ? 'lost' : 'other';
  return FAILURES.find(([, codes]) => codes.includes(code) || codes.includes(code.slice(0, 2)))?.[0] ?? 'other';
}
