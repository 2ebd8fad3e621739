import { type JsonObject, type KubeObject, StatusError } from '@tsukube/machinery';
import { type Backoff, pauseAfter } from '../registry/backoff.ts';
import type { ObjectRegistry, WriteResult } from '../registry/object-registry.ts';
import type { WriteContext } from '../registry/write-context.ts';

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

/** Updates an object, but never creates it: rejects with 404 if it is gone. `change` is called again after a conflict. */
export function updateExisting(
  registry: ObjectRegistry,
  name: string,
  uid: string | undefined,
  change: (existing: KubeObject) => JsonObject,
  context: WriteContext,
): Promise<WriteResult> {
  const { hub, names } = registry.resource;
  const transform = (existing: KubeObject | undefined): JsonObject => {
    if (!existing) throw StatusError.notFound({ group: hub.group, resource: names.plural }, name);
    return change(existing);
  };
  return registry.update(name, uid, transform, context);
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
