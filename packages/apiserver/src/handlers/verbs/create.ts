import type { JsonObject } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { negotiateObjects } from '../../http/negotiation.ts';
import { ensureNamespace, wipeSystemFields } from '../../registry/object-meta.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { decodeBody } from '../decoding/decode.ts';
import { ownedContext, writeOptions } from '../decoding/write-options.ts';
import { answerEntry } from '../encoding/object-encoding.ts';

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
