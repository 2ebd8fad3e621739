import { type JsonObject, StatusError } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import { negotiateObjects } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { encodeObject } from '../registry/stored-form.ts';
import type { Verbs } from '../resource.ts';
import type { CacheEntry } from '../watchcache/entry.ts';
import { answerList } from './list-encoding.ts';
import { answerEntry } from './represent.ts';
import { selectionOf } from './selection.ts';

/** Finds out what there is, each object with a name and in the hub version. */
export type Compute = (request: ResourceRequest) => Promise<readonly JsonObject[]>;

/** Reading objects that are not stored but found out when somebody asks. */
export function computedVerbs(compute: Compute): Verbs {
  return {
    get: (request) => getComputed(request, compute),
    list: (request) => listComputed(request, compute),
  };
}

async function getComputed(request: ResourceRequest, compute: Compute): Promise<Answer> {
  const output = negotiateObjects(request);
  const { info, resource, version } = request;
  const found = (await compute(request)).find((object) => (object.metadata as JsonObject).name === info.name);
  if (!found) throw StatusError.notFound({ group: version.group, resource: resource.names.singular }, info.name);
  return answerEntry(200, entryOf(found, request), request, output);
}

async function listComputed(request: ResourceRequest, compute: Compute): Promise<Answer> {
  const output = negotiateObjects(request);
  const { matches } = selectionOf(request);
  const entries = (await compute(request)).map((object) => entryOf(object, request));
  return answerList(request, matches ? entries.filter(matches) : entries, {}, output);
}

function entryOf(object: JsonObject, { objects }: ResourceRequest): CacheEntry {
  const key = `${objects.prefix('')}${(object.metadata as JsonObject).name}`;
  return { key, value: Buffer.from(encodeObject(object)), revision: 0, created: 0, derived: undefined };
}
