import { ageColumn, type mutationTypes, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { type FieldErrors, type FieldPath, type JsonObject, objectIn, objectsIn, textIn } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { PolicyExpressions } from './expressions.ts';
import { admissionGroup, commonStrategy, paramKindColumn } from './group.ts';
import { defaultMatchResources, specPath, validatePolicy, validatePolicyConditions } from './policy-validation.ts';
import { validateMutatingOperations } from './rules.ts';

const v1: ServedVersion = {
  group: admissionGroup,
  version: 'v1',
  schema: schemaOf('admissionregistration.v1.MutatingAdmissionPolicy'),
  columns: [
    nameColumn,
    {
      name: 'Mutations',
      type: 'integer',
      description: 'Mutation indicates the number of mutations rules defined in this configuration',
      value: (object) => objectsIn(objectIn(object, 'spec'), 'mutations').length,
    },
    paramKindColumn,
    ageColumn,
  ],
};

export const mutatingAdmissionPolicy: Resource = {
  compilesTexts: true,
  names: {
    plural: 'mutatingadmissionpolicies',
    singular: 'mutatingadmissionpolicy',
    kind: 'MutatingAdmissionPolicy',
    listKind: 'MutatingAdmissionPolicyList',
    categories: ['api-extensions'],
  },
  scope: 'Cluster',
  storagePrefix: '/registry/mutatingadmissionpolicies',
  hub: v1,
  hashedVersion: 'v1beta1',
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    ...commonStrategy,
    applyDefaults(object) {
      const spec = objectIn(object, 'spec');
      if (spec) spec.failurePolicy ??= 'Fail';
      defaultMatchResources(objectIn(spec, 'matchConstraints'));
    },
    validateCreate: (object, errors) => validate(object, undefined, errors),
    validateUpdate: validate,
  },
};

const reinvocationPolicies = ['IfNeeded', 'Never'];

function validate(object: JsonObject, old: JsonObject | undefined, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec') ?? {};
  const rules = objectsIn(objectIn(spec, 'matchConstraints'), 'resourceRules');
  validatePolicy(spec, errors);
  validateMutatingOperations(rules, specPath.child('matchConstraints', 'resourceRules'), errors);
  const expressions = new PolicyExpressions(spec, true, errors);
  validatePolicyConditions(spec, objectIn(old, 'spec'), expressions, errors);
  const [mutations, at] = [objectsIn(spec, 'mutations'), specPath.child('mutations')];
  if (mutations.length === 0) errors.required(at, 'mutations must contain at least one item');
  for (const [i, mutation] of mutations.entries()) validateMutation(mutation, at.index(i), expressions, errors);
  const reinvocation = textIn(spec, 'reinvocationPolicy');
  if (reinvocation === '') errors.required(specPath.child('reinvocationPolicy'));
  else if (!reinvocationPolicies.includes(reinvocation))
    errors.notSupported(specPath.child('reinvocationPolicy'), reinvocation, reinvocationPolicies);
}

/** The field of the expression by patch type. */
const patchFields = new Map<string, string>([
  ['ApplyConfiguration', 'applyConfiguration'],
  ['JSONPatch', 'jsonPatch'],
]);

function validateMutation(mutation: JsonObject, at: FieldPath, expressions: PolicyExpressions, errors: FieldErrors): void {
  const type = textIn(mutation, 'patchType');
  const field = patchFields.get(type);
  if (type === '') errors.required(at.child('patchType'));
  else if (field === undefined) errors.notSupported(at.child('patchType'), type, [...patchFields.keys()]);
  else validatePatch(mutation, type as keyof typeof mutationTypes, field, at, expressions, errors);
}

function validatePatch(
  mutation: JsonObject,
  type: keyof typeof mutationTypes,
  field: string,
  at: FieldPath,
  expressions: PolicyExpressions,
  errors: FieldErrors,
): void {
  const patch = objectIn(mutation, field);
  if (!patch) errors.required(at.child(field), `must be specified when patchType is ${type}`);
  else if (textIn(patch, 'expression').trim() === '') errors.required(at.child(field, 'expression'));
  else expressions.mutation(textIn(patch, 'expression'), type, at.child(field, 'expression'));
  for (const other of patchFields.values())
    if (other !== field && mutation[other] !== undefined)
      errors.invalid(at.child(other), `{${other}}`, `must not be specified when patchType is ${type}`);
}
