import { isObject, type JsonObject, JsonSyntaxError, objectIn, parseJson, textIn } from '@tsukube/machinery';

/** A decoded AdmissionReview of admission.k8s.io/v1 or v1beta1, which have the same fields. */
export interface AdmissionReview {
  readonly apiVersion: string;
  readonly uid: string;
  readonly request: JsonObject;
}

/** The body is not an AdmissionReview with a request. */
export class MalformedReview extends Error {
  override readonly name = 'MalformedReview';
}

const versions: readonly string[] = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];

/** Throws MalformedReview. */
export function parseReview(body: Uint8Array): AdmissionReview {
  const review = parseObject(body);
  const apiVersion = textIn(review, 'apiVersion');
  if (textIn(review, 'kind') !== 'AdmissionReview' || !versions.includes(apiVersion))
    throw new MalformedReview(`expected an AdmissionReview of ${versions.join(' or ')}`);
  const request = objectIn(review, 'request');
  const uid = textIn(request, 'uid');
  if (request === undefined || uid === '') throw new MalformedReview('the AdmissionReview has no request with a uid');
  return { apiVersion, uid, request };
}

function parseObject(body: Uint8Array): JsonObject {
  try {
    const { value } = parseJson(body);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
  }
  throw new MalformedReview('the body is not a JSON object');
}

/** The response with the version and uid of its request. */
export function responseTo({ apiVersion, uid }: AdmissionReview, response: JsonObject): JsonObject {
  return { apiVersion, kind: 'AdmissionReview', response: { uid, ...response } };
}
