import { StatusError } from '@tsukube/machinery';
import { type Backoff, pauseAfter } from '../registry/backoff.ts';

/** As client-go's DefaultRetry. */
const defaultBackoff: Backoff = { attempts: 5, firstMs: 10, maxMs: 100 };

/**
 * Runs a reconciliation that others may race. A conflict runs it again with backoff; after the last attempt it is left to the
 * event of the write that won. An object that is gone, or a namespace that is terminating, needs no write.
 */
export async function settleRaces(reconcile: () => Promise<unknown>, backoff: Backoff = defaultBackoff): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await reconcile();
      return;
    } catch (error) {
      if (isGone(error)) return;
      if (!isConflict(error)) throw error;
      if (attempt >= backoff.attempts) return;
    }
    await pauseAfter(attempt, backoff);
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof StatusError && error.code === 409;
}

function isGone(error: unknown): boolean {
  if (!(error instanceof StatusError)) return false;
  return error.code === 404 || (error.code === 403 && isNamespaceTerminating(error));
}

function isNamespaceTerminating({ status }: StatusError): boolean {
  return status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating') ?? false;
}
