import type { JsonObject, Status } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import { negotiateObjects, type Output } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { answerStatusAs } from '../http/respond.ts';
import { type Deleted, deleteObject } from '../registry/deletion.ts';
import { encodeObject } from '../registry/stored-form.ts';
import { writeContext } from './context.ts';
import { deleteOptions, warnOfOrphans } from './delete-options.ts';
import { answerEntry } from './represent.ts';

export async function deleteOne(request: ResourceRequest): Promise<Answer> {
  const output = negotiateObjects(request);
  const options = await deleteOptions(request);
  const context = writeContext(request, options.dryRun);
  warnOfOrphans(options, context);
  const deleted = await deleteObject(request.objects, request.info.name, options, context);
  const accepted = deleted.kind === 'pending' && options.orphanDependents === false;
  return answerDeleted(accepted ? 202 : 200, deleted, request, output);
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

function successOf(object: JsonObject, { version, resource }: ResourceRequest): Status {
  const { name, uid } = object.metadata as { name: string; uid: string };
  return { status: 'Success', details: { name, group: version.group, kind: resource.names.plural, uid } };
}
