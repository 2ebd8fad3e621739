import type { Any } from '../../support/client.ts';

/** A request whose size is a parameter, sent with n and 2n. */
export interface LargeRequest {
  readonly name: string;
  /** The size in `npm test`; a long run uses eight times as many. */
  readonly count: number;
  /** Only in long runs. */
  readonly isElaborate?: boolean;
  readonly method: string;
  path(count: number): string;
  body?(count: number): unknown;
  readonly type?: string;
  headers?(count: number): Record<string, string>;
}

export function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i));
}

export const keys = (count: number, value: (i: number) => Any): Any =>
  Object.fromEntries(times(count, (i) => [`k${i}`, value(i)]));

export const namespace = '/api/v1/namespaces/default';
export const configMaps = `${namespace}/configmaps`;

export function get(
  name: string,
  count: number,
  path: (count: number) => string,
  headers?: (count: number) => Record<string, string>,
): LargeRequest {
  return { name, count, method: 'GET', path, ...(headers && { headers }) };
}

export function post(
  name: string,
  count: number,
  path: string,
  body: (count: number) => unknown,
  type = 'application/json',
): LargeRequest {
  return { name, count, method: 'POST', path: () => path, body, type };
}
