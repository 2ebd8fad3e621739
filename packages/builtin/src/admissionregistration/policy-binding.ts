import { ageColumn, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  type FieldErrors,
  type FieldPath,
  isValidPathSegmentName,
  type JsonObject,
  nameIsDNSSubdomain,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
  validateLabelSelector,
} from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { admissionGroup, commonStrategy, paramRefColumn } from './group.ts';
import { defaultMatchResources, specPath, validateMatchResources } from './policy-validation.ts';
import { validateMutatingOperations } from './rules.ts';

export const validatingAdmissionPolicyBinding: Resource = binding('ValidatingAdmissionPolicyBinding', (spec, errors) =>
  validateActions(textsIn(spec, 'validationActions'), specPath.child('validationActions'), errors),
);

export const mutatingAdmissionPolicyBinding: Resource = {
  ...binding('MutatingAdmissionPolicyBinding', (spec, errors) =>
    validateMutatingOperations(
      objectsIn(objectIn(spec, 'matchResources'), 'resourceRules'),
      specPath.child('matchResources', 'resourceRules'),
      errors,
    ),
  ),
  hashedVersion: 'v1beta1',
};

/** The kinds differ in the additional validation of their spec. */
function binding(kind: string, validateMore: (spec: JsonObject, errors: FieldErrors) => void): Resource {
  const v1: ServedVersion = {
    group: admissionGroup,
    version: 'v1',
    schema: schemaOf(`admissionregistration.v1.${kind}`),
    columns: [
      nameColumn,
      {
        name: 'PolicyName',
        type: 'string',
        description: 'PolicyName indicates the policy definition which the policy binding binded to',
        value: (object) => textIn(objectIn(object, 'spec'), 'policyName'),
      },
      paramRefColumn,
      ageColumn,
    ],
  };
  const singular = kind.toLowerCase();
  const validate = (object: JsonObject, errors: FieldErrors) => {
    const spec = objectIn(object, 'spec') ?? {};
    validateSpec(spec, errors);
    validateMore(spec, errors);
  };
  return {
    names: { plural: `${singular}s`, singular, kind, listKind: `${kind}List`, categories: ['api-extensions'] },
    scope: 'Cluster',
    storagePrefix: `/registry/${singular}s`,
    hub: v1,
    versions: [v1],
    verbs: storedVerbs,
    strategy: {
      ...commonStrategy,
      applyDefaults: (object) => defaultMatchResources(objectIn(objectIn(object, 'spec'), 'matchResources')),
      validateCreate: validate,
      validateUpdate: (object, _old, errors) => validate(object, errors),
    },
  };
}

function validateSpec(spec: JsonObject, errors: FieldErrors): void {
  const [name, at] = [textIn(spec, 'policyName'), specPath.child('policyName')];
  if (name === '') errors.required(at);
  else for (const problem of nameIsDNSSubdomain(name, false)) errors.invalid(at, name, problem);
  const reference = objectIn(spec, 'paramRef');
  if (reference) validateParamRef(reference, specPath.child('paramRef'), errors);
  validateMatchResources(objectIn(spec, 'matchResources'), specPath.child('matchResources'), errors);
}

const notFoundActions = ['Deny', 'Allow'];
const exclusive = 'name and selector are mutually exclusive';

function validateParamRef(reference: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const [name, selector] = [textIn(reference, 'name'), objectIn(reference, 'selector')];
  for (const problem of isValidPathSegmentName(name)) errors.invalid(at.child('name'), name, problem);
  if (name !== '' && selector) errors.forbidden(at.child('name'), exclusive);
  validateLabelSelector(selector, at.child('selector'), errors);
  if (name !== '' && selector) errors.forbidden(at.child('selector'), exclusive);
  if (name === '' && !selector) errors.required(at, 'one of name or selector must be specified');
  const action = textIn(reference, 'parameterNotFoundAction');
  if (action === '') errors.required(at.child('parameterNotFoundAction'));
  else if (!notFoundActions.includes(action)) errors.notSupported(at.child('parameterNotFoundAction'), action, notFoundActions);
}

const validationActions = ['Audit', 'Deny', 'Warn'];

function validateActions(actions: readonly string[], at: FieldPath, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, action] of actions.entries()) {
    if (!validationActions.includes(action)) errors.notSupported(at.index(i), action, validationActions);
    if (seen.has(action)) errors.duplicate(at.index(i), action);
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn'))
    errors.invalid(
      at,
      [...actions],
      'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    );
  if (actions.length === 0) errors.required(at, 'at least one validation action is required');
}
