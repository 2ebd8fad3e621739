import {
  deepEqual,
  type FieldErrors,
  type FieldPath,
  isDNS1035Label,
  isDNS1123Subdomain,
  isQualifiedName,
  type JsonObject,
  mapIn,
  objectIn,
  objectsIn,
  path,
  textIn,
  textsIn,
  validateLabelSelector,
} from '@tsukube/machinery';
import type { PolicyExpressions } from './expressions.ts';
import { defaultRules, validateNamedRule } from './rules.ts';

export const specPath = path('spec');
const failurePolicies = ['Fail', 'Ignore'];

/** Validation shared by validating and mutating policies. */
export function validatePolicy(spec: JsonObject, errors: FieldErrors): void {
  if (!failurePolicies.includes(textIn(spec, 'failurePolicy')))
    errors.notSupported(specPath.child('failurePolicy'), textIn(spec, 'failurePolicy'), failurePolicies);
  const paramKind = objectIn(spec, 'paramKind');
  if (paramKind) validateParamKind(paramKind, specPath.child('paramKind'), errors);
  validateConstraints(objectIn(spec, 'matchConstraints'), specPath.child('matchConstraints'), errors);
}

/** Ratcheting: unchanged matchConditions are not validated again if paramKind is unchanged. */
export function validatePolicyConditions(
  spec: JsonObject,
  old: JsonObject | undefined,
  expressions: PolicyExpressions,
  errors: FieldErrors,
): void {
  const unchanged = old && ['paramKind', 'matchConditions'].every((field) => deepEqual(spec[field], old[field]));
  const compile: ExpressionCheck = (text, at) => expressions.matchCondition(text, at);
  if (!unchanged) validateMatchConditions(spec, specPath.child('matchConditions'), compile, errors);
  for (const [i, variable] of objectsIn(spec, 'variables').entries())
    validateVariable(variable, specPath.child('variables').index(i), expressions, errors);
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

function validateVariable(variable: JsonObject, at: FieldPath, expressions: PolicyExpressions, errors: FieldErrors): void {
  const name = textIn(variable, 'name');
  if (name.trim() === '') errors.required(at.child('name'), 'name is not specified');
  else if (!/^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) || reserved.has(name))
    errors.invalid(at.child('name'), name, 'must be a valid CEL identifier');
  if (textIn(variable, 'expression').trim() === '') errors.required(at.child('expression'), 'expression is not specified');
  else expressions.variable(variable, at.child('expression'));
}

const matchPolicies = ['Equivalent', 'Exact'];
const ruleLists = ['resourceRules', 'excludeResourceRules'];

/** Defaults of matchPolicy and selectors. */
export function defaultMatching(owner: JsonObject): void {
  owner.matchPolicy ??= 'Equivalent';
  owner.namespaceSelector ??= {};
  owner.objectSelector ??= {};
}

export function defaultMatchResources(match: JsonObject | undefined): void {
  if (!match) return;
  defaultMatching(match);
  for (const list of ruleLists) defaultRules(match, list);
}

export function validateMatchResources(match: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  if (!match) return;
  const policy = textIn(match, 'matchPolicy');
  if (!matchPolicies.includes(policy)) errors.notSupported(at.child('matchPolicy'), policy, matchPolicies);
  for (const field of ['namespaceSelector', 'objectSelector'])
    validateLabelSelector(objectIn(match, field), at.child(field), errors);
  for (const list of ruleLists)
    for (const [i, rule] of objectsIn(match, list).entries()) validateNamedRule(rule, at.child(list).index(i), errors);
}

/** A selector as Go prints a protobuf message, as tables show it. */
export function shownSelector(selector: JsonObject): string {
  const labels = Object.entries(mapIn(selector, 'matchLabels')).sort(([one], [other]) => (one < other ? -1 : 1));
  const shownLabels = labels.map(([key, value]) => `${key}: ${value},`).join('');
  const expressions = objectsIn(selector, 'matchExpressions').map(shownExpression).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${shownLabels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

function shownExpression(expression: JsonObject): string {
  const values = textsIn(expression, 'values').join(' ');
  return `LabelSelectorRequirement{Key:${textIn(expression, 'key')},Operator:${textIn(expression, 'operator')},Values:[${values}],},`;
}

const maxConditions = 64;

/** Reports an expression that does not compile. */
export type ExpressionCheck = (text: string, at: FieldPath) => void;

export function validateMatchConditions(owner: JsonObject, at: FieldPath, compile: ExpressionCheck, errors: FieldErrors): void {
  const conditions = objectsIn(owner, 'matchConditions');
  const seen = new Set<string>();
  if (conditions.length > maxConditions) errors.tooMany(at, conditions.length, maxConditions);
  for (const [i, condition] of conditions.entries()) {
    const name = textIn(condition, 'name');
    validateMatchCondition(condition, name, at.index(i), compile, errors);
    if (name !== '' && seen.has(name)) errors.duplicate(at.index(i).child('name'), name);
    seen.add(name);
  }
}

function validateMatchCondition(
  condition: JsonObject,
  name: string,
  at: FieldPath,
  compile: ExpressionCheck,
  errors: FieldErrors,
): void {
  const expression = textIn(condition, 'expression').trim();
  if (expression === '') errors.required(at.child('expression'));
  else compile(expression, at.child('expression'));
  if (name === '') errors.required(at.child('name'));
  else for (const problem of isQualifiedName(name)) errors.invalid(at.child('name'), name, problem);
}
