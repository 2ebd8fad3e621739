import { expect } from 'vitest';
import type { Any } from '../support/client.ts';

/** Matches a Status with these fields. */
export function statusLike(code: number, reason?: string, message?: string | RegExp): Any {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: expect.any(Object),
    status: 'Failure',
    code,
    ...(reason === undefined ? {} : { reason }),
    message: typeof message === 'string' ? message : expect.stringMatching(message ?? /./),
  };
}
