import type { JsonObject, Status } from '@tsukube/machinery';
import { statusBody } from '@tsukube/machinery';
import type { Answer } from '../http/answer.ts';
import { negotiate } from '../http/negotiation.ts';
import type { ResourceRequest } from '../http/request.ts';
import { answerValue } from '../http/respond.ts';
import type { WriteContext } from '../registry/object-registry.ts';
import type { Schema, Subresource, VerbHandler } from '../resource.ts';
import { writeContext } from './context.ts';
import { decodeAs } from './decode.ts';
import { writeOptions } from './options.ts';

/** What is sent to have something done. */
export interface ActionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly schema: Schema;
  /** Versions of the past in which the same is said in the same words. */
  readonly also?: readonly string[];
}

/** Does what the body asks for. The context is that of the resource the request names. */
export type Action = (request: ResourceRequest, body: JsonObject, context: WriteContext) => Promise<Status | JsonObject>;

/** A creation that stores nothing under its own name: a binding, an eviction. */
export function actionVerb(kind: ActionKind, action: Action): VerbHandler {
  return async (request): Promise<Answer> => {
    const output = negotiate(request, false);
    const options = writeOptions(request, 'CreateOptions');
    const body = await decodeAs(request, kind, options.fieldValidation);
    const done = await action(request, body, writeContext(request, options.dryRun));
    return answerValue(201, isStatus(done) ? statusBody({ code: 201, ...done }) : done, output);
  };
}

function isStatus(done: Status | JsonObject): done is Status {
  return !('apiVersion' in done);
}

export function actionSubresource(kind: ActionKind, action: Action): Subresource {
  const { group, version, kind: name } = kind;
  return { kind: { group, version, kind: name }, verbs: { create: actionVerb(kind, action) } };
}
