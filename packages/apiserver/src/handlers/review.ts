import { apiVersionOf, encodeProtobuf, type JsonObject, StatusError, wrapProtobuf } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import { mediaTypes, negotiate, type Output, protobuf } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { answerBytes, answerValue } from '../http/respond.ts';
import { ensureNamespace, wipeSystemFields } from '../registry/before-create.ts';
import type { Verbs } from '../resource.ts';
import { ownedContext } from './context.ts';
import { decodeBody } from './decode.ts';
import { writeOptions } from './options.ts';

/** Answers a question with the question and its answer. In the hub version. */
export type Review = (object: JsonObject, request: ResourceRequest) => JsonObject | Promise<JsonObject>;

/** What a resource serves that is only ever asked: it is created, answered and forgotten. */
export function reviewVerbs(review: Review): Verbs {
  return {
    async create(request) {
      const output = negotiate(request, 'objects');
      if (output.as !== 'object') throw StatusError.notAcceptable([...mediaTypes]);
      const options = writeOptions(request, 'CreateOptions');
      const object = await decodeBody(request, options.fieldValidation);
      const metadata = object.metadata as JsonObject;
      wipeSystemFields(metadata);
      ensureNamespace(request.resource, metadata, request.info.namespace);
      const { fieldManagement, now } = request.objects.services;
      await fieldManagement?.track(request.resource, object, undefined, ownedContext(request, options), now());
      return answerReview(await review(object, request), request, output);
    },
  };
}

function answerReview(reviewed: JsonObject, request: ResourceRequest, output: Output): Answer | Promise<Answer> {
  const { version, resource } = request;
  const typeMeta = { kind: resource.names.kind, apiVersion: apiVersionOf(version) };
  const object = { ...typeMeta, ...(version.converter?.fromHub(reviewed) ?? reviewed), ...typeMeta };
  if (output.mediaType !== protobuf) return answerValue(201, object, output);
  const { catalogue, type } = version.schema;
  const message = encodeProtobuf(object, catalogue.get(type), catalogue);
  return answerBytes(201, wrapProtobuf(typeMeta.apiVersion, typeMeta.kind, message), output);
}
