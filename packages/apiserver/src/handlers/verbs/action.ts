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
import { admissionAttributes, mutateObject } from '../../registry/admission-attributes.ts';
import { ensureNamespace, wipeSystemFields } from '../../registry/object-meta.ts';
import type { Resource, Schema, Subresource, VerbHandler } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import type { WriteContext } from '../../registry/write-context.ts';
import { decodeAs } from '../decoding/decode.ts';
import { type FieldValidation, fieldManagerOf, writeContext, writeOptions } from '../decoding/write-options.ts';

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
  /** The body keeps metadata that creates otherwise drop, such as the uid. */
  readonly keepsMetadata?: boolean;
  readonly applyDefaults?: (body: KubeObject) => void;
}

/**
 * Performs the action. The context is that of the resource in the path; writes by it are not admitted. Calls `validate` with the
 * body once it is known to be valid.
 */
export type Action = (
  request: ResourceRequest,
  body: KubeObject,
  context: WriteContext,
  validate: (body: KubeObject) => void | Promise<void>,
) => Promise<Status | JsonObject>;

/** A create that stores no object of its own kind: a binding, an eviction. */
export function actionVerb(kind: ActionKind, action: Action): VerbHandler {
  const bodyResource = resourceOf(kind);
  return async (request): Promise<Answer> => {
    const output = negotiate(request, kind.answered ? 'objects' : 'messages');
    if (output.as !== 'object') throw StatusError.notAcceptable([...mediaTypes]);
    const options = writeOptions(request, 'CreateOptions');
    const body = await decodedBody(request, kind, options.fieldValidation);
    const context = writeContext(request, options.dryRun, fieldManagerOf(request, options));
    const { admission, fieldManagement, now } = request.objects.services;
    await fieldManagement?.track(bodyResource, body, undefined, { ...context, version: kind }, now());
    const attributes = attributesOf(request, body, kind, context);
    await mutateObject(admission, attributes, body, context);
    const validate = (object: KubeObject) => admission.validate({ ...attributes, object });
    const done = await action(request, body, { ...context, fieldManager: null, isAdmitted: true }, validate);
    if (isStatus(done)) return answerStatusAs(201, { code: 201, ...done }, output);
    return output.mediaType === protobuf ? answerProtobuf(done, kind, output) : answerValue(201, done, output);
  };
}

async function decodedBody(request: ResourceRequest, kind: ActionKind, validation: FieldValidation): Promise<KubeObject> {
  const body = (await decodeAs(request, kind, validation)) as KubeObject;
  body.metadata ??= {};
  if (!kind.keepsMetadata) wipeSystemFields(body.metadata);
  ensureNamespace(request.resource, body.metadata, request.info.namespace);
  kind.applyDefaults?.(body);
  return body;
}

/** The resource for the managedFields of the body. */
function resourceOf(version: ActionKind): Resource {
  const { kind } = version;
  const names = { plural: `${kind.toLowerCase()}s`, singular: kind.toLowerCase(), kind, listKind: `${kind}List` };
  return { names, scope: 'Namespaced', storagePrefix: '', hub: version, versions: [version], verbs: {}, strategy: {} };
}

/** Admission sees the create of the body. */
function attributesOf(
  { resource, info }: ResourceRequest,
  object: KubeObject,
  body: ActionKind,
  context: WriteContext,
): AdmissionAttributes {
  const name = info.name || (object.metadata.name ?? '');
  return admissionAttributes('CREATE', resource, { name, object, oldObject: undefined, body }, context);
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
