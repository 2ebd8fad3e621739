import {
  FieldErrors,
  type FieldPath,
  type JsonObject,
  objectIn,
  objectsIn,
  path,
  StatusError,
  textIn,
  textsIn,
  validateLabelName,
} from '@tsukube/machinery';

const resourcePath = path('spec', 'resourceAttributes');
const pathsPath = path('spec', 'nonResourceAttributes');

/** Whether the review names a subject, and whether it is limited to its namespace. */
export interface AccessReviewRules {
  readonly subject: boolean;
  readonly local: boolean;
}

/** Throws 422. */
export function validateAccessReview(object: JsonObject, { subject, local }: AccessReviewRules): void {
  const errors = new FieldErrors();
  const spec = objectIn(object, 'spec') ?? {};
  validateSpec(spec, subject, errors);
  validateEmptyMetadata(objectIn(object, 'metadata') ?? {}, local, errors);
  if (local) validateLocal(object, spec, errors);
  if (errors.length > 0) throw StatusError.invalid({ group: 'authorization.k8s.io', kind: '' }, '', errors);
}

function validateSpec(spec: JsonObject, subject: boolean, errors: FieldErrors): void {
  const [resource, paths] = [objectIn(spec, 'resourceAttributes'), objectIn(spec, 'nonResourceAttributes')];
  if (resource && paths)
    errors.invalid(pathsPath, shownPath(paths), 'cannot be specified in combination with resourceAttributes');
  if (!resource && !paths)
    errors.invalid(resourcePath, null, 'exactly one of nonResourceAttributes or resourceAttributes must be specified');
  if (subject && textIn(spec, 'user') === '' && textsIn(spec, 'groups').length === 0)
    errors.invalid(path('spec', 'user'), '', 'at least one of user or group must be specified');
  for (const field of ['fieldSelector', 'labelSelector']) {
    const selector = objectIn(resource, field);
    if (selector) validateSelector(selector, resourcePath.child(field), errors);
  }
}

/** The Go internal type, as Kubernetes prints it in errors. */
function shownPath(paths: JsonObject): JsonObject {
  return { Path: textIn(paths, 'path'), Verb: textIn(paths, 'verb') };
}

function validateEmptyMetadata(metadata: JsonObject, local: boolean, errors: FieldErrors): void {
  const ignored = local ? ['managedFields', 'namespace'] : ['managedFields'];
  if (Object.keys(metadata).every((field) => ignored.includes(field))) return;
  errors.invalid(path('metadata'), metadata, local ? 'must be empty except for namespace' : 'must be empty');
}

function validateLocal(object: JsonObject, spec: JsonObject, errors: FieldErrors): void {
  const [resource, paths] = [objectIn(spec, 'resourceAttributes'), objectIn(spec, 'nonResourceAttributes')];
  const namespace = textIn(resource, 'namespace');
  if (resource && namespace !== textIn(objectIn(object, 'metadata'), 'namespace'))
    errors.invalid(resourcePath.child('namespace'), namespace, 'must match metadata.namespace');
  if (paths) errors.invalid(pathsPath, shownPath(paths), 'disallowed on this kind of request');
}

function validateSelector(selector: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [raw, requirements] = [textIn(selector, 'rawSelector'), objectsIn(selector, 'requirements')];
  if (raw !== '' && requirements.length > 0)
    errors.invalid(at.child('rawSelector'), raw, 'may not specified at the same time as requirements');
  if (raw === '' && requirements.length === 0)
    errors.required(at.child('requirements'), `when ${at} is specified, requirements or rawSelector is required`);
  for (const [i, requirement] of requirements.entries())
    validateRequirement(requirement, at.child('requirements').index(i), errors);
}

/** Unknown operators are accepted, for newer clients. */
function validateRequirement(requirement: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [operator, values] = [textIn(requirement, 'operator'), textsIn(requirement, 'values')];
  if ((operator === 'In' || operator === 'NotIn') && values.length === 0)
    errors.required(at.child('values'), "must be specified when `operator` is 'In' or 'NotIn'");
  if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length > 0)
    errors.forbidden(at.child('values'), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  if (at.toString().includes('.labelSelector.')) validateLabelName(textIn(requirement, 'key'), at.child('key'), errors);
  else if (textIn(requirement, 'key') === '') errors.required(at.child('key'), 'must be specified');
}
