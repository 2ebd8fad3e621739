import {
  cannotUnmarshal,
  FieldErrors,
  goQuote,
  goTypeText,
  isObject,
  type JsonObject,
  type JsonValue,
  jsonKind,
  path,
  validateAnnotations,
  validateLabels,
} from '@tsukube/machinery';

const group = 'apiextensions.k8s.io';
const scheme = 'k8s.io/apiserver/pkg/util/webhook/client.go:71';

/** The converted objects of a ConversionReview response, or the error text. */
export function convertedObjects(answer: JsonValue, reviewVersion: string, uid: string): readonly JsonValue[] | string {
  const review = isObject(answer) ? answer : {};
  const problem = kindProblem(review, reviewVersion);
  if (problem !== undefined) return problem;
  const { response } = review;
  if (response === undefined || response === null) return 'no response provided';
  if (!isObject(response))
    return `json: cannot unmarshal ${jsonKind(response)} into Go struct field ConversionReview.response of type ${reviewVersion}.ConversionResponse`;
  if (reviewVersion === 'v1' && (response.uid ?? '') !== uid)
    return `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? '')}`;
  const { status = '', message } = fieldsOf(response.result);
  if (status !== 'Success') {
    if (typeof message === 'string' && message !== '') return message;
    return `response.result.status was '${status}', not 'Success'`;
  }
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

/** Checks the type meta of the response, which is optional in v1beta1. */
function kindProblem({ apiVersion = '', kind = '' }: JsonObject, reviewVersion: string): string | undefined {
  const expected = `${group}/${reviewVersion}`;
  if (apiVersion === expected && kind === 'ConversionReview') return undefined;
  if (apiVersion === '' || kind === '')
    return reviewVersion === 'v1'
      ? `expected webhook response of ${kindText(expected, 'ConversionReview')}, got ${kindText(apiVersion, kind)}`
      : undefined;
  const known = schemeTypes[`${apiVersion} ${kind}`];
  if (known === undefined)
    return `no kind ${goQuote(String(kind))} is registered for version ${goQuote(String(apiVersion))} in scheme ${goQuote(scheme)}`;
  return `converting (${known}) to (${reviewVersion}.ConversionReview): unknown conversion`;
}

/** The Go types in the scheme of the webhook client. */
const schemeTypes: Readonly<Record<string, string>> = {
  [`${group}/v1 ConversionReview`]: 'v1.ConversionReview',
  [`${group}/v1beta1 ConversionReview`]: 'v1beta1.ConversionReview',
  'v1 Status': 'v1.Status',
};

/** The error of Go's decoder for a converted object that is no JSON object. */
export function undecodable(converted: JsonValue | undefined): string {
  return converted === null || converted === undefined
    ? 'unexpected end of JSON input'
    : cannotUnmarshal(converted, 'map[string]interface {}');
}

/** The converted object with the metadata of the original, except labels and annotations; or the error text. */
export function convertedObject(
  original: JsonObject,
  converted: JsonObject,
  apiVersion: string,
  index: number,
): JsonObject | string {
  const invalid = `invalid object at index ${index}:`;
  if (converted.apiVersion !== apiVersion)
    return `${invalid} invalid groupVersion (expected ${apiVersion}, received ${converted.apiVersion ?? ''})`;
  if (converted.kind !== original.kind)
    return `${invalid} invalid kind (expected ${original.kind}, received ${converted.kind ?? ''})`;
  const difference = forbiddenDifference(original, converted);
  if (difference !== undefined) return `invalid object: ${difference}`;
  const metadata = restoredMetadata(original.metadata, converted.metadata);
  return typeof metadata === 'string' ? `invalid metadata: ${metadata}` : { ...converted, metadata };
}

const fixed: readonly (readonly [field: string, title: string])[] = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
];

function forbiddenDifference(original: JsonObject, converted: JsonObject): string | undefined {
  const [before, after] = [fieldsOf(original.metadata), fieldsOf(converted.metadata)];
  for (const [field, title] of fixed) {
    const [expected, got] = [before[field] ?? '', after[field] ?? ''];
    if (expected !== got) return `must have the same ${title}: ${expected} != ${got}`;
  }
  return undefined;
}

function fieldsOf(value: JsonValue | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function kindText(apiVersion: JsonValue | undefined, kind: JsonValue | undefined): string {
  const [group, version] = String(apiVersion ?? '').includes('/') ? String(apiVersion).split('/') : ['', apiVersion ?? ''];
  return `${group}/${version}, Kind=${kind ?? ''}`;
}

/** The metadata of the original with the labels and annotations of the converted object; or the error text. */
function restoredMetadata(original: JsonValue | undefined, converted: JsonValue | undefined): JsonObject | string {
  if (converted === undefined) return 'missing metadata in converted object';
  if (!isObject(converted)) return `invalid metadata of type ${goTypeText(converted)} in converted object`;
  const metadata: JsonObject = { ...(isObject(original) ? original : {}) };
  for (const field of ['labels', 'annotations'] as const) {
    const before = metadata[field];
    delete metadata[field];
    const after = converted[field];
    if (after === undefined || after === null) continue;
    const problem = problemOf(field, isObject(before) ? before : {}, after);
    if (problem !== undefined) return problem;
    metadata[field] = after;
  }
  return metadata;
}

function problemOf(field: 'labels' | 'annotations', before: JsonObject, after: JsonValue): string | undefined {
  if (!isObject(after)) return `invalid metadata.${field} of type ${goTypeText(after)} in converted object`;
  for (const [key, value] of Object.entries(after)) {
    if (typeof value !== 'string')
      return `metadata.${field}[${key}] must be a string, but is ${goTypeText(value)} in converted object`;
  }
  if (isSame(before, after)) return undefined;
  const errors = new FieldErrors();
  if (field === 'labels') validateLabels(after, path('metadata', 'labels'), errors);
  else validateAnnotations(after, path('metadata', 'annotation'), errors);
  return errors.length === 0 ? undefined : String(errors);
}

function isSame(before: JsonObject, after: JsonObject): boolean {
  const keys = Object.keys(after);
  return keys.length === Object.keys(before).length && keys.every((key) => before[key] === after[key]);
}
