import { validateWebhookClient } from '@tsukube/apiserver';
import {
  FieldErrors,
  type FieldPath,
  isDNS1035Label,
  isDNS1123Subdomain,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  path,
  repeats,
  textIn,
  textsIn,
  validateLabelSelector,
} from '@tsukube/machinery';
import { validateWebhookCondition } from './expressions.ts';
import { type ExpressionCheck, validateMatchConditions } from './policy-validation.ts';
import { harmlessSideEffects, isReviewVersion, reviewVersions, validateRule, type WebhookRules } from './rules.ts';

const choices: Readonly<Record<string, readonly string[]>> = {
  failurePolicy: ['Fail', 'Ignore'],
  matchPolicy: ['Equivalent', 'Exact'],
};
const reinvocationPolicies = ['IfNeeded', 'Never'];
const allSideEffects = ['None', 'NoneOnDryRun', 'Some', 'Unknown'];

export function validateWebhooks(object: JsonObject, rules: WebhookRules, errors: FieldErrors): void {
  const seen = new Set<string>();
  for (const [i, hook] of objectsIn(object, 'webhooks').entries()) {
    const at = path('webhooks').index(i);
    const name = textIn(hook, 'name');
    validateWebhook(hook, rules, at, errors);
    validateReviewVersions(textsIn(hook, 'admissionReviewVersions'), rules, at.child('admissionReviewVersions'), errors);
    if (rules.uniqueNames && name !== '' && seen.has(name)) errors.duplicate(at.child('name'), name);
    seen.add(name);
  }
}

function validateWebhook(hook: JsonObject, rules: WebhookRules, at: FieldPath, errors: FieldErrors): void {
  validateQualifiedName(textIn(hook, 'name'), at.child('name'), errors);
  for (const [i, rule] of objectsIn(hook, 'rules').entries()) validateRule(rule, at.child('rules').index(i), errors);
  for (const [field, supported] of Object.entries(choices)) validateChoice(hook, field, supported, at, errors);
  validateSideEffects(hook, rules.noSideEffects ? harmlessSideEffects : allSideEffects, at.child('sideEffects'), errors);
  const timeout = numberIn(hook, 'timeoutSeconds');
  if (timeout < 1 || timeout > 30)
    errors.invalid(at.child('timeoutSeconds'), timeout, 'the timeout value must be between 1 and 30 seconds');
  for (const field of selectors) validateLabelSelector(objectIn(hook, field), at.child(field), errors, rules);
  validateChoice(hook, 'reinvocationPolicy', reinvocationPolicies, at, errors);
  validateWebhookClient(objectIn(hook, 'clientConfig'), at.child('clientConfig'), errors);
  const compile: ExpressionCheck = (text, place) => validateWebhookCondition(text, place, errors);
  if (rules.matchConditions) validateMatchConditions(hook, at.child('matchConditions'), compile, errors);
}

function validateChoice(hook: JsonObject, field: string, supported: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (hook[field] !== undefined && !supported.includes(textIn(hook, field)))
    errors.notSupported(at.child(field), hook[field], supported);
}

function validateSideEffects(hook: JsonObject, allowed: readonly string[], at: FieldPath, errors: FieldErrors): void {
  const { sideEffects } = hook;
  if (sideEffects === undefined || sideEffects === null) errors.required(at, `must specify one of ${allowed.join(', ')}`);
  else if (!allowed.includes(String(sideEffects))) errors.notSupported(at, sideEffects, allowed);
}

function validateQualifiedName(name: string, at: FieldPath, errors: FieldErrors): void {
  const problems = name === '' ? [] : isDNS1123Subdomain(name);
  if (name === '') errors.required(at);
  else if (problems.length > 0) errors.invalid(at, name, problems.join(','));
  else if (name.split('.').length < 3)
    errors.invalid(at, name, 'should be a domain with at least three segments separated by dots');
}

function validateReviewVersions(versions: readonly string[], rules: WebhookRules, at: FieldPath, errors: FieldErrors): void {
  const known = reviewVersions.join(', ');
  if (versions.length === 0) {
    errors.required(at, `must specify one of ${known}`);
    return;
  }
  const repeated = repeats(versions);
  for (const [i, version] of versions.entries()) {
    if (repeated[i]) errors.invalid(at.index(i), version, 'duplicate version');
    else for (const problem of isDNS1035Label(version)) errors.invalid(at.index(i), version, problem);
  }
  if (rules.knownReviewVersion && !versions.some(isReviewVersion))
    errors.invalid(at, [...versions], `must include at least one of ${known}`);
}

const selectors = ['namespaceSelector', 'objectSelector'];

export function hasInvalidSelector(hooks: readonly JsonObject[]): boolean {
  const errors = new FieldErrors();
  for (const hook of hooks) for (const field of selectors) validateLabelSelector(objectIn(hook, field), path(field), errors);
  return errors.length > 0;
}
