import {
  apiVersionOf,
  encodeProtobuf,
  type JsonObject,
  type KubeObject,
  type Status,
  StatusError,
  wrapProtobuf,
} from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { mediaTypes, negotiate, type Output, protobuf } from '../../http/negotiation.ts';
import { answerBytes, answerStatusAs, answerValue } from '../../http/respond.ts';
import type { AdmissionAttributes } from '../../registry/admission.ts';
import type { Schema, Subresource, VerbHandler } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import type { WriteContext } from '../../registry/write-context.ts';
import { decodeAs } from '../decoding/decode.ts';
import { fieldManagerOf, writeContext, writeOptions } from '../decoding/write-options.ts';

/** The kind of the body of an action: Binding, Eviction, TokenRequest. */
export interface ActionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: Schema;
  /** Old apiVersions with the same schema. */
  readonly also?: readonly string[];
  /** The response is an object of this kind instead of a Status. */
  readonly answered?: boolean;
}

/** Performs the action. The context is that of the resource in the path. */
export type Action = (request: ResourceRequest, body: JsonObject, context: WriteContext) => Promise<Status | JsonObject>;

/** A create that stores no object of its own kind: a binding, an eviction. */
export function actionVerb(kind: ActionKind, action: Action): VerbHandler {
  return async (request): Promise<Answer> => {
    const output = negotiate(request, kind.answered ? 'objects' : 'messages');
    if (output.as !== 'object') throw StatusError.notAcceptable([...mediaTypes]);
    const options = writeOptions(request, 'CreateOptions');
    const body = await decodeAs(request, kind, options.fieldValidation);
    const context = writeContext(request, options.dryRun, kind.answered ? fieldManagerOf(request, options) : null);
    await admit(request, body, context);
    const done = await action(request, body, { ...context, isAdmitted: true });
    if (isStatus(done)) return answerStatusAs(201, { code: 201, ...done }, output);
    return output.mediaType === protobuf ? answerProtobuf(done, kind, output) : answerValue(201, done, output);
  };
}

/** Admission sees the create of the body; the writes that the action makes are not admitted again. */
async function admit({ objects, resource, info }: ResourceRequest, object: JsonObject, context: WriteContext): Promise<void> {
  const { version, subresource, namespace, user, dryRun } = context;
  const name = info.name || String((object as Partial<KubeObject>).metadata?.name ?? '');
  const attributes: AdmissionAttributes = {
    operation: 'CREATE',
    resource,
    version,
    subresource,
    namespace,
    name,
    object: object as KubeObject,
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
