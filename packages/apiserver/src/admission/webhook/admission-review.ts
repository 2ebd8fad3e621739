import { builtinTypes } from '@tsukube/api';
import {
  checkObject,
  type FieldType,
  goQuote,
  type JsonObject,
  mapIn,
  objectIn,
  stringifyJson,
  type TypeCatalogue,
  type TypeDefinition,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { requestDescription } from '../admission-request.ts';
import type { VersionedAttributes } from '../versioned-attributes.ts';

/** Versions of admission.k8s.io. */
export type ReviewVersion = 'v1' | 'v1beta1';

/** An AdmissionReview as JSON. The request has the same fields in both versions. */
export function reviewRequest(uid: string, version: ReviewVersion, versioned: VersionedAttributes): string {
  const request = `{"uid":${JSON.stringify(uid)},${requestText(versioned)}`;
  return `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/${version}","request":${request}}}`;
}

/** The fields after the uid. The texts of large objects are not copied into another object first. */
function requestText(versioned: VersionedAttributes): string {
  const { object, oldObject, attributes } = versioned;
  const objects = `"object":${textOf(object)},"oldObject":${textOf(oldObject)}`;
  const { dryRun, options } = attributes;
  return `${descriptionText(versioned)},${objects},"dryRun":${dryRun},"options":${textOf(options())}`;
}

function textOf(object: JsonObject | undefined): string {
  return object ? stringifyJson(object) : 'null';
}

function descriptionText(versioned: VersionedAttributes): string {
  return stringifyJson(requestDescription(versioned, versioned.version)).slice(1, -1);
}

/** An AdmissionResponse. */
export interface ReviewResult {
  readonly allowed: boolean;
  /** Decoded from base64; empty if there is none. */
  readonly patch: string;
  readonly patchType: string;
  /** A metav1.Status. */
  readonly result: JsonObject | undefined;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

const text: FieldType = { is: 'string' };
const statusType = 'io.k8s.apimachinery.pkg.apis.meta.v1.Status';
const reviewType = 'io.k8s.api.admission.v1.AdmissionReview';
const responseType = 'io.k8s.api.admission.v1.AdmissionResponse';

const responseFields: Readonly<Record<string, FieldType>> = {
  uid: text,
  allowed: { is: 'boolean' },
  status: { is: 'object', ref: statusType },
  patch: { is: 'bytes' },
  patchType: text,
  auditAnnotations: { is: 'map', of: text },
  warnings: { is: 'list', of: text },
};

// Types are compiled once, so each must be one object.
const review = typeOf(reviewType, { response: { is: 'object', ref: responseType } });
const response = typeOf(responseType, responseFields);

/** The types of responses; both versions have the same fields. The `request` that some webhooks send back is ignored. */
const reviewTypes: TypeCatalogue = {
  get(name) {
    if (name === reviewType) return review;
    return name === responseType ? response : builtinTypes.get(name);
  },
};

function typeOf(name: string, types: Readonly<Record<string, FieldType>>): TypeDefinition {
  return {
    name,
    fields: new Map(Object.entries(types).map(([field, type]) => [field, { name: field, type, omitempty: 'keep' }])),
  };
}

/** Where kube-apiserver decodes responses, as its messages say. */
const scheme = 'k8s.io/apiserver/pkg/util/webhook/client.go:71';

/**
 * Decodes the response of a webhook, which may have no type meta. Throws an Error with Kubernetes' message if it is not an
 * AdmissionReview of the version.
 */
export function decodeReview(review: JsonObject, version: ReviewVersion): JsonObject {
  const { kind = '', apiVersion = '' } = review;
  const given = kind === '' && apiVersion === '' ? version : knownVersion(String(kind), String(apiVersion));
  const { value, error } = checkObject({ ...review }, reviewTypes.get(reviewType), reviewTypes);
  if (error !== undefined) throw new Error(error);
  if (given !== version)
    throw new Error(`converting (${given}.AdmissionReview) to (${version}.AdmissionReview): unknown conversion`);
  return { ...value, kind };
}

function knownVersion(kind: string, apiVersion: string): string {
  const version = /^admission\.k8s\.io\/(v1|v1beta1)$/.exec(apiVersion)?.[1];
  if (kind === 'AdmissionReview' && version !== undefined) return version;
  throw new Error(`no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme ${goQuote(scheme)}`);
}

/** Reads a decoded response. Throws an Error with Kubernetes' message if it is not valid. */
export function reviewResult(review: JsonObject, uid: string, version: ReviewVersion, isMutating: boolean): ReviewResult {
  const response = objectIn(review, 'response');
  if (!response) throw new Error('webhook response was absent');
  if (version === 'v1') checkIdentity(response, uid, review);
  return {
    allowed: response.allowed === true,
    ...(version === 'v1' ? checkedPatch(response, isMutating) : uncheckedPatch(response, isMutating)),
    result: objectIn(response, 'status'),
    warnings: textsIn(response, 'warnings'),
    auditAnnotations: mapIn(response, 'auditAnnotations'),
  };
}

function checkIdentity(response: JsonObject, uid: string, { kind }: JsonObject): void {
  const given = textIn(response, 'uid');
  if (given !== uid) throw new Error(`expected response.uid=${goQuote(uid)}, got ${goQuote(given)}`);
  if (kind === undefined || kind === '')
    throw new Error('expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=');
}

type Patch = Pick<ReviewResult, 'patch' | 'patchType'>;

function checkedPatch(response: JsonObject, isMutating: boolean): Patch {
  const patch = patchIn(response);
  const patchType = textIn(response, 'patchType');
  const hasType = response.patchType !== undefined;
  if (!isMutating) {
    if (patch !== '') throw new Error('validating webhook may not return response.patch');
    if (hasType) throw new Error('validating webhook may not return response.patchType');
  } else {
    if (patch !== '' && !hasType) throw new Error('webhook returned response.patch but not response.patchType');
    if (patch === '' && hasType) throw new Error('webhook returned response.patchType but not response.patch');
    if (hasType && patchType === '') throw new Error('webhook returned invalid response.patchType of ""');
  }
  return { patch, patchType };
}

/** In v1beta1 the patch type is not checked, and a patch of a validating webhook has no effect. */
function uncheckedPatch(response: JsonObject, isMutating: boolean): Patch {
  const patch = isMutating ? patchIn(response) : '';
  return { patch, patchType: patch === '' ? '' : 'JSONPatch' };
}

function patchIn(response: JsonObject): string {
  return Buffer.from(textIn(response, 'patch'), 'base64').toString('utf8');
}
