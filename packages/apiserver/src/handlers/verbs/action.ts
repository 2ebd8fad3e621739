import { apiVersionOf, encodeProtobuf, type JsonObject, type Status, StatusError, wrapProtobuf } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { mediaTypes, negotiate, type Output, protobuf } from '../../http/negotiation.ts';
import { answerBytes, answerStatusAs, answerValue } from '../../http/respond.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import type { WriteContext } from '../../registry/object-registry.ts';
import type { Schema, Subresource, VerbHandler } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { decodeAs } from '../decoding/decode.ts';
import { ownedContext, writeContext, writeOptions } from '../decoding/write-options.ts';

/** What is sent to have something done. */
export interface ActionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: Schema;
  /** Versions of the past in which the same is said in the same words. */
  readonly also?: readonly string[];
  /** The answer is an object of this kind, and not a Status: it is written in whatever objects are written in. */
  readonly answered?: boolean;
}

/** Does what the body asks for. The context is that of the resource the request names. */
export type Action = (request: ResourceRequest, body: JsonObject, context: WriteContext) => Promise<Status | JsonObject>;

/** A creation that stores nothing under its own name: a binding, an eviction. */
export function actionVerb(kind: ActionKind, action: Action): VerbHandler {
  return async (request): Promise<Answer> => {
    const output = negotiate(request, kind.answered ? 'objects' : 'messages');
    if (output.as !== 'object') throw StatusError.notAcceptable([...mediaTypes]);
    const options = writeOptions(request, 'CreateOptions');
    const body = await decodeAs(request, kind, options.fieldValidation);
    const context = kind.answered ? ownedContext(request, options) : writeContext(request, options.dryRun);
    await admit(request, body, context);
    const done = await action(request, body, { ...context, isAdmitted: true });
    if (isStatus(done)) return answerStatusAs(201, { code: 201, ...done }, output);
    return output.mediaType === protobuf ? answerProtobuf(done, kind, output) : answerValue(201, done, output);
  };
}

/** Admission sees the creation of what was sent; the writes that follow from it are no requests of their own. */
async function admit({ objects, resource, info }: ResourceRequest, object: JsonObject, context: WriteContext): Promise<void> {
  const { version, subresource, namespace, user, dryRun } = context;
  const name = info.name || String((object.metadata as JsonObject | undefined)?.name ?? '');
  const attributes: AdmissionAttributes = {
    operation: 'CREATE',
    resource,
    version,
    subresource,
    namespace,
    name,
    object,
    oldObject: undefined,
    user,
    dryRun,
  };
  await objects.services.admission.mutate(attributes);
  await objects.services.admission.validate(attributes);
}

function answerProtobuf(
  object: JsonObject,
  { group, version, kind, schema }: ActionKind,
  output: Output,
): Answer | Promise<Answer> {
  const message = encodeProtobuf(object, schema.catalogue.get(schema.type), schema.catalogue);
  return answerBytes(201, wrapProtobuf(apiVersionOf({ group, version }), kind, message), output);
}

function isStatus(done: Status | JsonObject): done is Status {
  return !('apiVersion' in done);
}

export function actionSubresource(kind: ActionKind, action: Action): Subresource {
  const { group, version, kind: name } = kind;
  return { kind: { group, version, kind: name }, verbs: { create: actionVerb(kind, action) } };
}
