import {
  deepEqual,
  type FieldErrors,
  type FieldPath,
  isDNS1035Label,
  isDNS1123Subdomain,
  type JsonObject,
  objectIn,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { validateMatchConditions } from './match-conditions.ts';
import { validateMatchResources } from './match-resources.ts';

export const specPath = path('spec');
const failurePolicies = ['Fail', 'Ignore'];

/** What validating and mutating policies have in common. */
export function validatePolicy(spec: JsonObject, errors: FieldErrors): void {
  if (!failurePolicies.includes(textIn(spec, 'failurePolicy')))
    errors.notSupported(specPath.child('failurePolicy'), textIn(spec, 'failurePolicy'), failurePolicies);
  const paramKind = objectIn(spec, 'paramKind');
  if (paramKind) validateParamKind(paramKind, specPath.child('paramKind'), errors);
  validateConstraints(objectIn(spec, 'matchConstraints'), specPath.child('matchConstraints'), errors);
}

/** Conditions that were accepted once stay accepted, as long as the parameters they may speak of are the same. */
export function validatePolicyConditions(spec: JsonObject, old: JsonObject | undefined, errors: FieldErrors): void {
  const unchanged = old && ['paramKind', 'matchConditions'].every((field) => deepEqual(spec[field], old[field]));
  if (!unchanged) validateMatchConditions(spec, specPath.child('matchConditions'), errors);
  for (const [i, variable] of objectsIn(spec, 'variables').entries())
    validateVariable(variable, specPath.child('variables').index(i), errors);
}

function validateConstraints(constraints: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  if (!constraints) {
    errors.required(at);
    return;
  }
  validateMatchResources(constraints, at, errors);
  if (objectsIn(constraints, 'resourceRules').length === 0) errors.required(at.child('resourceRules'));
}

function validateParamKind(paramKind: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const kind = textIn(paramKind, 'kind');
  validateApiVersion(textIn(paramKind, 'apiVersion'), at.child('apiVersion'), errors);
  if (kind === '') {
    errors.required(at.child('kind'));
    return;
  }
  const problems = isDNS1035Label(kind.toLowerCase());
  if (problems.length > 0)
    errors.invalid(at.child('kind'), kind, `may have mixed case, but should otherwise match: ${problems.join(',')}`);
}

function validateApiVersion(text: string, at: FieldPath, errors: FieldErrors): void {
  const parts = text === '/' ? ['', ''] : text.split('/');
  const [group = '', version = ''] = parts.length === 1 ? ['', text] : parts;
  if (text === '') errors.required(at);
  else if (parts.length > 2) errors.invalid(at, text, `unexpected GroupVersion string: ${text}`);
  else {
    const groupProblems = group === '' ? [] : isDNS1123Subdomain(group);
    if (groupProblems.length > 0) errors.invalid(at, group, groupProblems.join(','));
    const versionProblems = isDNS1035Label(version);
    if (version === '') errors.invalid(at, text, 'version must be specified');
    else if (versionProblems.length > 0) errors.invalid(at, version, versionProblems.join(','));
  }
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

function validateVariable(variable: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const name = textIn(variable, 'name');
  if (name.trim() === '') errors.required(at.child('name'), 'name is not specified');
  else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || reserved.has(name))
    errors.invalid(at.child('name'), name, 'must be a valid CEL identifier');
  if (textIn(variable, 'expression').trim() === '') errors.required(at.child('expression'), 'expression is not specified');
}
