import type { ApiObject } from '../rest/api-object.ts';
import type { ResourceApi } from '../rest/resource-api.ts';
import type { ReconcileResult } from './controller.ts';

export interface FinalizerSteps<T> {
  /** The object exists, and has the finalizer. */
  readonly apply: (object: T) => ReconcileResult | Promise<ReconcileResult>;
  /** The object is being deleted. When this succeeds, the finalizer is removed. It may run more than once. */
  readonly cleanup: (object: T) => unknown;
}

/**
 * Reconciles an object with external state: the finalizer is added before the first `apply`, and removed after `cleanup`. Throws
 * a conflict if the object has changed since; the retry sees the new state.
 */
export async function withFinalizer<T extends ApiObject>(
  api: ResourceApi<T>,
  object: T,
  finalizer: string,
  { apply, cleanup }: FinalizerSteps<T>,
): Promise<ReconcileResult> {
  const { finalizers = [], deletionTimestamp, resourceVersion, namespace, name = '' } = object.metadata;
  const has = finalizers.includes(finalizer);
  const write = (changed: string[]) =>
    api.in(namespace).patch(name, { type: 'merge', patch: { metadata: { finalizers: changed, resourceVersion } } });
  if (deletionTimestamp === undefined) return apply(has ? object : await write([...finalizers, finalizer]));
  if (!has) return undefined;
  await cleanup(object);
  await write(finalizers.filter((each) => each !== finalizer));
  return undefined;
}
