import type { Answer } from '@tsukube/transport';
import { negotiateObjects } from '../../http/negotiation.ts';
import { ensureNamespace, wipeSystemFields } from '../../registry/object-meta.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { decodeBody } from '../decoding/decode.ts';
import { fieldManagerOf, writeContext, writeOptions } from '../decoding/write-options.ts';
import { answerEntry } from '../encoding/object-encoding.ts';

export async function create(request: ResourceRequest): Promise<Answer> {
  const output = negotiateObjects(request);
  const options = writeOptions(request, 'CreateOptions');
  const object = await decodeBody(request, options.fieldValidation);
  const context = writeContext(request, options.dryRun, fieldManagerOf(request, options));
  wipeSystemFields(object.metadata);
  ensureNamespace(request.resource, object.metadata, context.namespace);
  const { entry } = await request.objects.create(object, context);
  return answerEntry(201, entry, request, output);
}
