import { ageColumn, nameColumn, type Resource, type ServedVersion, statusSubresource, storedVerbs } from '@tsukube/apiserver';
import {
  type FieldErrors,
  type FieldPath,
  isQualifiedName,
  type JsonObject,
  metadataOf,
  objectIn,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { validateConditions } from '../common/conditions.ts';
import { schemaOf } from '../common/schema.ts';
import { statusOnly } from '../common/status-only.ts';
import { PolicyExpressions } from './expressions.ts';
import { admissionGroup, commonStrategy, paramKindColumn } from './group.ts';
import { defaultMatchResources, specPath, validatePolicy, validatePolicyConditions } from './policy-validation.ts';

const v1: ServedVersion = {
  group: admissionGroup,
  version: 'v1',
  schema: schemaOf('admissionregistration.v1.ValidatingAdmissionPolicy'),
  columns: [
    nameColumn,
    {
      name: 'Validations',
      type: 'integer',
      description: 'Validations indicates the number of validation rules defined in this configuration',
      value: (object) => objectsIn(objectIn(object, 'spec'), 'validations').length,
    },
    paramKindColumn,
    ageColumn,
  ],
};

export const validatingAdmissionPolicy: Resource = {
  compilesTexts: true,
  names: {
    plural: 'validatingadmissionpolicies',
    singular: 'validatingadmissionpolicy',
    kind: 'ValidatingAdmissionPolicy',
    listKind: 'ValidatingAdmissionPolicyList',
    categories: ['api-extensions'],
  },
  scope: 'Cluster',
  storagePrefix: '/registry/validatingadmissionpolicies',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource((object, _old, errors) => validateValidatingPolicyStatus(object, errors), {
      generation: false,
      ...statusOnly,
    }),
  },
  strategy: {
    ...commonStrategy,
    applyDefaults(object) {
      const spec = objectIn(object, 'spec');
      if (spec) spec.failurePolicy ??= 'Fail';
      defaultMatchResources(objectIn(spec, 'matchConstraints'));
    },
    prepareForCreate(object) {
      object.status = {};
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: (object, errors) => validateValidatingPolicy(object, undefined, errors),
    validateUpdate: validateValidatingPolicy,
  },
};

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const maxAnnotations = 20;
const maxAnnotationExpression = 5 * 1024;

export function validateValidatingPolicy(object: JsonObject, old: JsonObject | undefined, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec') ?? {};
  validatePolicy(spec, errors);
  const expressions = new PolicyExpressions(spec, objectsIn(spec, 'variables').length > 0, errors);
  validatePolicyConditions(spec, objectIn(old, 'spec'), expressions, errors);
  const [validations, annotations] = [objectsIn(spec, 'validations'), objectsIn(spec, 'auditAnnotations')];
  if (validations.length === 0 && annotations.length === 0) {
    for (const field of ['validations', 'auditAnnotations'])
      errors.required(specPath.child(field), 'validations or auditAnnotations must contain at least one item');
  }
  for (const [i, validation] of validations.entries())
    validateValidation(validation, specPath.child('validations').index(i), expressions, errors);
  validateAnnotations(annotations, textIn(metadataOf(object), 'name'), expressions, errors);
}

function validateValidation(validation: JsonObject, at: FieldPath, expressions: PolicyExpressions, errors: FieldErrors): void {
  const expression = textIn(validation, 'expression');
  const [message, messageExpression] = [textIn(validation, 'message'), textIn(validation, 'messageExpression')];
  if (expression.trim() === '') errors.required(at.child('expression'), 'expression is not specified');
  else expressions.validation(expression, at.child('expression'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.invalid(at.child('messageExpression'), messageExpression, 'must be non-empty if specified');
  else if (messageExpression !== '') expressions.message(messageExpression, at.child('messageExpression'));
  if (message !== '' && message.trim() === '') errors.invalid(at.child('message'), message, 'must be non-empty if specified');
  else if (/[\n\r]/.test(message.trim())) errors.invalid(at.child('message'), message, 'must not contain line breaks');
  if (validation.reason !== undefined && !reasons.includes(textIn(validation, 'reason')))
    errors.notSupported(at.child('reason'), validation.reason, reasons);
}

function validateAnnotations(
  annotations: readonly JsonObject[],
  policy: string,
  expressions: PolicyExpressions,
  errors: FieldErrors,
): void {
  const at = specPath.child('auditAnnotations');
  const seen = new Set<string>();
  if (annotations.length > maxAnnotations)
    errors.invalid(at, [...annotations], `must not have more than ${maxAnnotations} auditAnnotations`);
  for (const [i, annotation] of annotations.entries()) {
    const key = textIn(annotation, 'key');
    validateAnnotation(annotation, policy, at.index(i), expressions, errors);
    if (seen.has(key)) errors.duplicate(at.index(i).child('key'), key);
    seen.add(key);
  }
}

/** The key in audit events is POLICY/KEY, which limits its length. */
function validateAnnotation(
  annotation: JsonObject,
  policy: string,
  at: FieldPath,
  expressions: PolicyExpressions,
  errors: FieldErrors,
): void {
  const [key, expression] = [textIn(annotation, 'key'), textIn(annotation, 'valueExpression').trim()];
  if (policy === '') errors.invalid(at.child('key'), key, 'requires metadata.name be non-empty');
  else for (const problem of isQualifiedName(`${policy}/${key}`)) errors.invalid(at.child('key'), `${policy}/${key}`, problem);
  if (expression === '') errors.required(at.child('valueExpression'), 'valueExpression is not specified');
  else if (Buffer.byteLength(expression) > maxAnnotationExpression)
    errors.required(at.child('valueExpression'), `must not exceed ${maxAnnotationExpression} bytes in length`);
  else expressions.annotation(textIn(annotation, 'valueExpression'), at.child('valueExpression'));
}

export function validateValidatingPolicyStatus(object: JsonObject, errors: FieldErrors): void {
  const status = objectIn(object, 'status');
  const at = path('status', 'typeChecking', 'expressionWarnings');
  for (const [i, warning] of objectsIn(objectIn(status, 'typeChecking'), 'expressionWarnings').entries())
    for (const field of ['warning', 'fieldRef'])
      if (textIn(warning, field).trim() === '') errors.required(at.index(i).child(field));
  validateConditions(objectsIn(status, 'conditions'), path('status', 'conditions'), errors);
}
