import {
  apiVersionOf,
  encodeProtobuf,
  type JsonObject,
  type KubeObject,
  metadataOf,
  StatusError,
  wrapProtobuf,
} from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { mediaTypes, negotiate, negotiateObjects, type Output, protobuf } from '../../http/negotiation.ts';
import { answerBytes, answerValue } from '../../http/respond.ts';
import { admissionAttributes, mutateObject } from '../../registry/admission-attributes.ts';
import { ensureNamespace, wipeSystemFields } from '../../registry/object-meta.ts';
import type { Verbs } from '../../registry/resource.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { encodeObject } from '../../registry/stored-form.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import { decodeBody } from '../decoding/decode.ts';
import { selectionOf } from '../decoding/list-options.ts';
import { fieldManagerOf, writeContext, writeOptions } from '../decoding/write-options.ts';
import { answerList } from '../encoding/list-encoding.ts';
import { answerEntry } from '../encoding/object-encoding.ts';

/** Computes all objects of a resource, in the hub version. */
export type Compute = (request: ResourceRequest) => Promise<readonly JsonObject[]>;

/** The verbs of a resource whose objects are computed by every read, such as component statuses. */
export function computedVerbs(compute: Compute): Verbs {
  return {
    get: (request) => getComputed(request, compute),
    list: (request) => listComputed(request, compute),
  };
}

async function getComputed(request: ResourceRequest, compute: Compute): Promise<Answer> {
  const output = negotiateObjects(request);
  const { info, resource, version } = request;
  const found = (await compute(request)).find((object) => metadataOf(object).name === info.name);
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
  const key = `${objects.prefix('')}${metadataOf(object).name}`;
  return { key, value: Buffer.from(encodeObject(object)), revision: 0, created: 0, derived: undefined };
}

/** Runs validating admission. */
export type ValidateAdmission = () => void | Promise<void>;

/** Returns the review with its status set, in the hub version. Calls `validate` once the object is known to be valid. */
export type Review = (object: KubeObject, request: ResourceRequest, validate: ValidateAdmission) => Promise<JsonObject>;

/** The verbs of a review, such as SubjectAccessReview: create returns the result and stores nothing. */
export function reviewVerbs(review: Review): Verbs {
  return {
    async create(request) {
      const output = negotiate(request, 'objects');
      if (output.as !== 'object') throw StatusError.notAcceptable([...mediaTypes]);
      const options = writeOptions(request, 'CreateOptions');
      const object = await decodeBody(request, options.fieldValidation);
      wipeSystemFields(object.metadata);
      ensureNamespace(request.resource, object.metadata, request.info.namespace);
      const { fieldManagement, now } = request.objects.services;
      const context = writeContext(request, options.dryRun, fieldManagerOf(request, options));
      await fieldManagement?.track(request.resource, object, undefined, context, now());
      const { admission } = request.objects.services;
      const admitted = { name: object.metadata.name ?? '', object, oldObject: undefined };
      const attributes = admissionAttributes('CREATE', request.resource, admitted, context);
      await mutateObject(admission, attributes, object, context);
      return answerReview(await review(object, request, () => admission.validate(attributes)), request, output);
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
