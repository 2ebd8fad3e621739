import type { JsonObject } from '../schema/type.ts';
import { type KnownRecord, recordOf } from './known-record.ts';
import { isSameOwner, type Owner } from './owners.ts';
import { isReconciled } from './reconcile.ts';
import { UpdateWalk } from './update-walk.ts';
import type { Versions } from './versions.ts';
import type { Writer } from './writer.ts';

/** The walk looks at every owner for each field that has changed. */
const maxOwners = 32;

/**
 * The record after an update by which nobody comes to own or ceases to own anything, which is what most updates are: the
 * same program writes other values to the same fields. Undefined if that cannot be told in one pass over both objects.
 */
export function quickUpdate(
  live: JsonObject,
  next: JsonObject,
  record: KnownRecord,
  writer: Writer,
  versions: Versions,
): readonly JsonObject[] | undefined {
  const { apiVersion } = writer;
  const { allBut } = versions.ownable;
  if (record.owners.length > maxOwners) return undefined;
  if (!record.settled || allBut === undefined || live.apiVersion !== apiVersion || next.apiVersion !== apiVersion)
    return undefined;
  const shape = versions.knows(apiVersion) ? versions.shape(apiVersion) : undefined;
  const isPlain = (owner: Owner) => owner.apiVersion === apiVersion && shape !== undefined && isReconciled(owner.fields, shape);
  if (shape === undefined || !record.owners.every(isPlain)) return undefined;
  const identity = {
    manager: writer.manager || 'unknown',
    operation: 'Update',
    apiVersion,
    subresource: writer.subresource,
  } as const;
  const own = record.owners.find((owner) => isSameOwner(owner, identity));
  const walk = new UpdateWalk(record.owners, own);
  if (!walk.object(live, next, shape, allBut)) return undefined;
  return own && walk.touched && own.time !== writer.time ? retimed(record, own, writer.time) : record.entries;
}

function retimed({ owners }: KnownRecord, own: Owner, time: string | undefined): readonly JsonObject[] {
  return recordOf(owners.map((owner) => (owner === own ? { ...own, time } : owner))).entries;
}
