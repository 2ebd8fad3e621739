import { deepCopy, type ObjectMeta } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { negotiateObjects } from '../../http/negotiation.ts';
import { ensureName, ensureNamespace } from '../../registry/object-meta.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { decodeBody } from '../decoding/decode.ts';
import { fieldManagerOf, writeContext, writeOptions } from '../decoding/write-options.ts';
import { answerEntry } from '../encoding/object-encoding.ts';

export async function update(request: ResourceRequest): Promise<Answer> {
  const output = negotiateObjects(request);
  const options = writeOptions(request, 'UpdateOptions');
  const object = await decodeBody(request, options.fieldValidation);
  const context = writeContext(request, options.dryRun, fieldManagerOf(request, options));
  const { metadata } = object;
  ensureNamespace(request.resource, metadata, context.namespace);
  ensureName(metadata, request.info.name);
  let first = true;
  const transform = () => {
    if (!first) return deepCopy(pristine);
    first = false;
    return object;
  };
  const pristine = isUnconditional(metadata) ? deepCopy(object) : object;
  const { entry, outcome } = await request.objects.update(request.info.name, metadata.uid || undefined, transform, context);
  return answerEntry(outcome === 'created' ? 201 : 200, entry, request, output);
}

/** Only unconditional updates are retried, and need an unmodified copy for that. */
function isUnconditional({ resourceVersion }: ObjectMeta): boolean {
  return resourceVersion === undefined || resourceVersion === '' || resourceVersion === '0';
}
