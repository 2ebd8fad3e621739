import { deepCopy, type JsonObject } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { negotiateObjects } from '../../http/negotiation.ts';
import { ensureName, ensureNamespace } from '../../registry/object-meta.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { decodeBody } from '../decoding/decode.ts';
import { ownedContext, writeOptions } from '../decoding/write-options.ts';
import { answerEntry } from '../encoding/object-encoding.ts';

export async function update(request: ResourceRequest): Promise<Answer> {
  const output = negotiateObjects(request);
  const options = writeOptions(request, 'UpdateOptions');
  const object = await decodeBody(request, options.fieldValidation);
  const context = ownedContext(request, options);
  const metadata = object.metadata as JsonObject;
  ensureNamespace(request.resource, metadata, context.namespace);
  ensureName(metadata, request.info.name);
  const uid = (metadata.uid as string | undefined) || undefined;
  let first = true;
  const transform = () => {
    if (!first) return deepCopy(pristine);
    first = false;
    return object;
  };
  const pristine = needsCopy(metadata) ? deepCopy(object) : object;
  const { entry, outcome } = await request.objects.update(request.info.name, uid, transform, context);
  return answerEntry(outcome === 'created' ? 201 : 200, entry, request, output);
}

/** Only an update that accepts any version is tried more than once. */
function needsCopy(metadata: JsonObject): boolean {
  return metadata.resourceVersion === undefined || metadata.resourceVersion === '' || metadata.resourceVersion === '0';
}
