import type { JsonObject } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import { negotiateObjects } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { ensureNamespace, wipeSystemFields } from '../registry/before-create.ts';
import { ownedContext } from './context.ts';
import { decodeBody } from './decode.ts';
import { writeOptions } from './options.ts';
import { answerEntry } from './represent.ts';

export async function create(request: ResourceRequest): Promise<Answer> {
  const output = negotiateObjects(request);
  const options = writeOptions(request, 'CreateOptions');
  const object = await decodeBody(request, options.fieldValidation);
  const context = ownedContext(request, options);
  const metadata = object.metadata as JsonObject;
  wipeSystemFields(metadata);
  ensureNamespace(request.resource, metadata, context.namespace);
  const { entry } = await request.objects.create(object, context);
  return answerEntry(201, entry, request, output);
}
