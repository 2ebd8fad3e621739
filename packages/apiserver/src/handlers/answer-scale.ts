import type { JsonObject } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import type { Output } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { decodeObject, encodeObject } from '../registry/stored-form.ts';
import type { Column, Schema, ServedVersion } from '../resource.ts';
import type { CacheEntry } from '../watchcache/entry.ts';
import { answerEntry } from './represent.ts';
import { type Scalable, scaleOf } from './scale-object.ts';

/** The scale of an object, in whichever representation was asked for: it is an object like any other. */
export type AnswerScale = (entry: CacheEntry, request: ResourceRequest, output: Output) => Answer | Promise<Answer>;

export function scaleAnswers(scalable: Scalable, schema: Schema, columns: readonly Column[]): AnswerScale {
  const version: ServedVersion = { group: 'autoscaling', version: 'v1', schema, columns };
  return (entry, request, output) => {
    const names = { ...request.resource.names, kind: 'Scale' };
    const resource = { ...request.resource, names, hub: version, versions: [version] };
    const scale = scaleEntry(entry, scaleOf(decodeObject(entry.value), scalable));
    const { query, exchange, objects } = request;
    return answerEntry(200, scale, { resource, version, query, exchange, objects }, output);
  };
}

function scaleEntry({ key, revision, created }: CacheEntry, scale: JsonObject): CacheEntry {
  return { key, value: Buffer.from(encodeObject(scale)), revision, created, derived: undefined };
}
