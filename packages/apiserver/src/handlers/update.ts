import { deepCopy, type JsonObject, StatusError } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import { negotiateObjects } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { ensureNamespace } from '../registry/before-create.ts';
import { ownedContext } from './context.ts';
import { decodeBody } from './decode.ts';
import { writeOptions } from './options.ts';
import { answerEntry } from './represent.ts';

export async function update(request: ResourceRequest): Promise<Answer> {
  const output = negotiateObjects(request);
  const options = writeOptions(request, 'UpdateOptions');
  const object = await decodeBody(request, options.fieldValidation);
  const context = ownedContext(request, options);
  const metadata = object.metadata as JsonObject;
  ensureNamespace(request.resource, metadata, context.namespace);
  checkName(metadata, request.info.name);
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

/** The name may be left out, but must not be another than the path's. */
export function checkName(metadata: JsonObject, name: string): void {
  const stated = metadata.name ?? '';
  if (stated === '') metadata.name = name;
  else if (stated !== name)
    throw StatusError.badRequest(`the name of the object (${stated}) does not match the name on the URL (${name})`);
}

export function nameless(name: string): StatusError {
  return StatusError.badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
}
