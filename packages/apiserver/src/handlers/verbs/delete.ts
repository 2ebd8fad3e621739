import type { KubeObject, Status } from '@tsukube/machinery';
import { CorruptValue, UnreadableValue } from '@tsukube/storage';
import type { Answer } from '@tsukube/transport';
import { negotiateObjects, type Output } from '../../http/negotiation.ts';
import { answerStatusAs } from '../../http/respond.ts';
import { deleteCorrupt } from '../../registry/corrupt-objects.ts';
import { type Deleted, deleteObject } from '../../registry/deletion.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { encodeObject } from '../../registry/stored-form.ts';
import { deleteOptions, warnOfOrphans } from '../decoding/delete-options.ts';
import { writeContext } from '../decoding/write-options.ts';
import { answerEntry } from '../encoding/object-encoding.ts';

export async function deleteOne(request: ResourceRequest): Promise<Answer> {
  const output = negotiateObjects(request);
  const options = await deleteOptions(request);
  const context = writeContext(request, options.dryRun, null);
  warnOfOrphans(options, context);
  let deleted: Deleted;
  try {
    deleted = await deleteObject(request.objects, request.info.name, options, context);
  } catch (error) {
    if (!options.ignoreStoreReadError || !isUnreadable(error, request)) throw error;
    await deleteCorrupt(request.objects, request.info.name, error, options, context);
    return answerStatusAs(200, { status: 'Success', details: subjectOf(request) }, output);
  }
  const accepted = deleted.kind === 'pending' && options.orphanDependents === false;
  return answerDeleted(accepted ? 202 : 200, deleted, request, output);
}

/** Whether the object of the request is the one that cannot be read. */
function isUnreadable(error: unknown, { objects, info }: ResourceRequest): error is CorruptValue | UnreadableValue {
  if (!(error instanceof CorruptValue || error instanceof UnreadableValue)) return false;
  return error.key === objects.key(info.namespace, info.name);
}

function answerDeleted(status: number, deleted: Deleted, request: ResourceRequest, output: Output): Answer | Promise<Answer> {
  if (deleted.kind === 'pending') return answerEntry(status, deleted.entry, request, output);
  const { object } = deleted;
  if (request.resource.strategy.returnDeletedObject) {
    const value = Buffer.from(encodeObject(object));
    return answerEntry(status, { key: '', value, revision: 0, created: 0, derived: undefined }, request, output);
  }
  return answerStatusAs(status, successOf(object, request), output);
}

function successOf({ metadata: { name, uid } }: KubeObject, request: ResourceRequest): Status {
  return { status: 'Success', details: { ...subjectOf(request), name, uid } };
}

function subjectOf({ info, version, resource }: ResourceRequest): { name: string; group: string; kind: string } {
  return { name: info.name, group: version.group, kind: resource.names.plural };
}
