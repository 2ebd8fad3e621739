import { StatusError } from '../errors/status-error.ts';
import { withoutKey } from '../json/object.ts';
import type { JsonObject } from '../schema/type.ts';
import { type Applied, applyConfiguration } from './apply.ts';
import { capUpdaters } from './cap.ts';
import { conflictError, conflictsOutside } from './conflicts.ts';
import { kubectl, ownedByAnnotation, updateAnnotation } from './last-applied.ts';
import type { Owner } from './owners.ts';
import { reconciled } from './reconcile.ts';
import { checkEntries, entriesOf, storedOwners } from './record.ts';
import { ownersAfterUpdate } from './track-update.ts';
import { ConversionFailed, type Versions } from './versions.ts';
import type { Writer } from './writer.ts';

/**
 * The object with a configuration applied to it and with the new record of who owns what, in the writer's version.
 * Without `live`, it is created. Fails with 409 on conflicts, unless `force`, and with 500 if the object cannot be shown in
 * a version in which somebody owns fields.
 */
export function trackApply(
  live: JsonObject | undefined,
  configuration: JsonObject,
  writer: Writer,
  versions: Versions,
  force: boolean,
): JsonObject {
  const applied = reportingFailures(() => {
    const before = withoutRecord(live ?? versions.empty(writer.apiVersion));
    const owners = reconciled(ownersBeforeApply(live, before, writer, versions), before, versions);
    const result = applyOrTakeOver(before, configuration, owners, writer, versions, force);
    if (result.kind === 'applied' && result.owners.length > owners.length) checkEntries(result.owners.length);
    return result;
  });
  if (applied.kind === 'conflicts') throw conflictError(applied.conflicts);
  const object = writer.manager === kubectl ? updateAnnotation(applied.object, configuration) : applied.object;
  const managedFields = entriesOf(applied.owners);
  return { ...object, metadata: { ...(object.metadata as JsonObject), ...(managedFields && { managedFields }) } };
}

function reportingFailures(run: () => Applied): Applied {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ConversionFailed)) throw error;
    throw new StatusError({ status: 'Failure', message: error.message, code: 500 }, { cause: error });
  }
}

function withoutRecord(object: JsonObject): JsonObject {
  return { ...object, metadata: withoutKey(object.metadata as JsonObject, 'managedFields') };
}

/** Of an object without a record, all that is there belongs to whoever wrote it before the first apply. */
function ownersBeforeApply(
  live: JsonObject | undefined,
  before: JsonObject,
  writer: Writer,
  versions: Versions,
): readonly Owner[] {
  const stored = live ? storedOwners(live.metadata as JsonObject) : [];
  if (stored === undefined) throw StatusError.internalError('failed to decode managed fields');
  if (stored.length > 0 || live === undefined) return stored;
  const earlier = { ...writer, manager: 'before-first-apply' };
  return capUpdaters(ownersAfterUpdate(versions.empty(writer.apiVersion), before, [], earlier, versions));
}

/** What conflicts only with what kubectl applied by itself is forced. */
function applyOrTakeOver(
  live: JsonObject,
  configuration: JsonObject,
  owners: readonly Owner[],
  writer: Writer,
  versions: Versions,
  force: boolean,
): Applied {
  const applied = applyConfiguration(live, configuration, owners, writer, versions, force);
  if (applied.kind === 'applied' || writer.manager !== kubectl) return applied;
  const conflicts = conflictsOutside(applied.conflicts, ownedByAnnotation(live, versions.shape(writer.apiVersion)));
  if (conflicts.length > 0) return { kind: 'conflicts', conflicts };
  return applyConfiguration(live, configuration, owners, writer, versions, true);
}
