import type { SqlFailure } from '../sql/dialect.ts';

/** SQLSTATE codes, or classes of two characters. */
const FAILURES: readonly (readonly [SqlFailure, readonly string[]])[] = [
  ['retry', ['40', '55P03', '53300', '57P03', '57014', '25P03', '25P04']],
  ['lost', ['08', '57P01', '57P02', '57P05']],
  ['read-only', ['25006']],
  ['full', ['53100', '54023']],
  ['refused', ['28', '3D', '42501', '3F']],
];

const NETWORK_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOENT',
]);

/** A connection that ended, with the reason. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

export function postgresFailure(error: unknown): SqlFailure {
  if (error instanceof ConnectionLost) return 'lost';
  if (error instanceof AggregateError) return postgresFailure(error.errors[0]);
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code !== 'string') return String(message).includes('Connection terminated') ? 'lost' : 'other';
  if (NETWORK_CODES.has(code)) return 'lost';
  return FAILURES.find(([, codes]) => codes.includes(code) || codes.includes(code.slice(0, 2)))?.[0] ?? 'other';
}
