import { asServer, deleteObject, nameOfKey, type ObjectRegistry } from '@tsukube/apiserver';
import { type JsonObject, metadataOf, objectIn, StatusError } from '@tsukube/machinery';
import { cleanupFinalizer, conditionOf, type Definition, isDefinitionConditionTrue } from '../definition/definition.ts';
import { readDefinition } from '../definition/read-definition.ts';
import { conditionObjects, type NewCondition, withCondition } from './conditions.ts';
import { updateStatus } from './status.ts';

const concurrency = 64;
const type = 'Terminating';

const inProgress: NewCondition = {
  type,
  status: 'True',
  reason: 'InstanceDeletionInProgress',
  message: 'CustomResource deletion is in progress',
};
const unconfirmed: NewCondition = {
  type,
  status: 'True',
  reason: 'InstanceDeletionCheck',
  message: 'could not confirm zero CustomResources remaining: timed out waiting for the condition',
};

/** Deletes the objects of a terminating definition, then removes the finalizer. Returns false while objects with finalizers remain. */
export async function finalize(
  definition: Definition,
  definitions: ObjectRegistry,
  objects: () => ObjectRegistry | undefined,
  now: () => number,
): Promise<boolean> {
  // A retry keeps the condition of the failed attempt.
  if (!isRetry(definition)) await report(definitions, definition.name, inProgress, false, now());
  if (!isDefinitionConditionTrue(definition, 'Established')) {
    const reason = { reason: 'NeverEstablished', message: 'resource was never established' };
    await report(definitions, definition.name, { type, status: 'False', ...reason }, true, now());
    return true;
  }
  const remaining = await deleteAll(objects()).catch(async (error: unknown) => {
    const message = `could not list instances: ${error instanceof Error ? error.message : error}`;
    const failed: NewCondition = { type, status: 'True', reason: 'InstanceDeletionFailed', message };
    await report(definitions, definition.name, failed, false, now());
    throw error;
  });
  if (remaining > 0) {
    await report(definitions, definition.name, unconfirmed, false, now());
    return false;
  }
  const done = { reason: 'InstanceDeletionCompleted', message: 'removed all instances' };
  await report(definitions, definition.name, { type, status: 'False', ...done }, true, now());
  return true;
}

function isRetry(definition: Definition): boolean {
  const reason = conditionOf(definition, type)?.reason;
  return reason === 'InstanceDeletionCheck' || reason === 'InstanceDeletionFailed';
}

/** Deletes all objects and returns how many remain. */
async function deleteAll(objects: ObjectRegistry | undefined): Promise<number> {
  if (!objects) return 0;
  await objects.cache.fresh();
  const entries = objects.cache.slice(objects.cache.prefix);
  for (let i = 0; i < entries.length; i += concurrency) {
    await Promise.all(entries.slice(i, i + concurrency).map(({ key }) => remove(objects, key)));
  }
  await objects.cache.fresh();
  return objects.cache.size;
}

async function remove(objects: ObjectRegistry, key: string): Promise<void> {
  const { namespace, name } = nameOfKey(objects.resource, key);
  try {
    // Kubernetes deletes the objects of a definition without admission.
    await deleteObject(objects, name, {}, { ...asServer(objects, namespace), isAdmitted: true });
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
  }
}

/** Writes the Terminating condition; `release` also removes the finalizer. */
function report(
  definitions: ObjectRegistry,
  name: string,
  condition: NewCondition,
  release: boolean,
  now: number,
): Promise<void> {
  return updateStatus(definitions, name, (object) => {
    const { conditions } = readDefinition(object, 0);
    const status: JsonObject = { ...objectIn(object, 'status') };
    status.conditions = conditionObjects(withCondition(conditions, condition, now));
    return { ...(release ? released(object) : object), status };
  });
}

function released(object: JsonObject): JsonObject {
  const { finalizers = [], ...metadata } = metadataOf(object);
  const rest = finalizers.filter((finalizer) => finalizer !== cleanupFinalizer);
  return { ...object, metadata: rest.length > 0 ? { ...metadata, finalizers: rest } : metadata };
}
