import {
  type FieldErrors,
  type FieldPath,
  goQuote,
  isQualifiedName,
  type JsonObject,
  type JsonValue,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
} from '@tsukube/machinery';
import { notNegative } from '../common/field-validation.ts';
import { checkIndexes } from './job-indexes.ts';

const maxRules = 20;
const maxExitCodes = 255;
const maxPatterns = 20;
const maxIndexesLength = 64 * 1024;

const actions = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const operators = ['In', 'NotIn'];
const conditionStatuses = ['False', 'True', 'Unknown'];

const goList = (values: readonly string[]) => `[${values.map(goQuote).join(' ')}]`;

export function validateFailurePolicy(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const rules = objectsIn(objectIn(spec, 'podFailurePolicy'), 'rules');
  if (rules.length > maxRules) errors.tooMany(at.child('rules'), rules.length, maxRules);
  const names = containerNames(spec);
  for (const [i, rule] of rules.entries()) validateFailureRule(rule, spec, names, at.child('rules').index(i), errors);
}

function validateFailureRule(
  rule: JsonObject,
  spec: JsonObject,
  names: ReadonlySet<JsonValue>,
  at: FieldPath,
  errors: FieldErrors,
): void {
  validateAction(textIn(rule, 'action'), spec, at.child('action'), errors);
  const exitCodes = objectIn(rule, 'onExitCodes');
  const patterns = objectsIn(rule, 'onPodConditions');
  if (exitCodes) validateExitCodes(exitCodes, names, at.child('onExitCodes'), errors);
  validatePatterns(patterns, at.child('onPodConditions'), errors);
  if (exitCodes && patterns.length > 0)
    errors.invalidUnshown(at, 'specifying both OnExitCodes and OnPodConditions is not supported');
  if (!exitCodes && patterns.length === 0)
    errors.invalidUnshown(at, 'specifying one of OnExitCodes and OnPodConditions is required');
}

function validateAction(action: string, spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (action === '') errors.required(at, `valid values: ${goList(actions)}`);
  else if (!actions.includes(action)) errors.notSupported(at, action, actions);
  else if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined)
    errors.invalid(at, action, 'requires the backoffLimitPerIndex to be set');
}

function validateExitCodes(codes: JsonObject, names: ReadonlySet<JsonValue>, at: FieldPath, errors: FieldErrors): void {
  const operator = textIn(codes, 'operator');
  if (operator === '') errors.required(at.child('operator'), `valid values: ${goList(operators)}`);
  else if (!operators.includes(operator)) errors.notSupported(at.child('operator'), operator, operators);
  const { containerName } = codes;
  if (containerName !== undefined && !names.has(containerName))
    errors.invalid(
      at.child('containerName'),
      containerName,
      'must be one of the container or initContainer names in the pod template',
    );
  validateValues((codes.values ?? null) as number[] | null, operator, at.child('values'), errors);
}

function containerNames(spec: JsonObject): ReadonlySet<JsonValue> {
  const podSpec = objectIn(objectIn(spec, 'template'), 'spec');
  const containers = [...objectsIn(podSpec, 'containers'), ...objectsIn(podSpec, 'initContainers')];
  return new Set(containers.map(({ name }) => name ?? ''));
}

function validateValues(values: number[] | null, operator: string, at: FieldPath, errors: FieldErrors): void {
  if (!values?.length) {
    errors.invalid(at, values, 'at least one value is required');
    return;
  }
  if (values.length > maxExitCodes) errors.tooMany(at, values.length, maxExitCodes);
  const seen = new Set<number>();
  for (const [i, value] of values.entries()) {
    if (operator === 'In' && value === 0) errors.invalid(at.index(i), value, 'must not be 0 for the In operator');
    if (seen.has(value)) errors.duplicate(at.index(i), value);
    seen.add(value);
  }
  const ordered = values.every((value, i) => i === 0 || (values[i - 1] as number) <= value);
  if (!ordered) errors.invalid(at, values, 'must be ordered');
}

function validatePatterns(patterns: readonly JsonObject[], at: FieldPath, errors: FieldErrors): void {
  if (patterns.length > maxPatterns) errors.tooMany(at, patterns.length, maxPatterns);
  for (const [i, pattern] of patterns.entries()) {
    const type = textIn(pattern, 'type');
    for (const problem of isQualifiedName(type)) errors.invalid(at.index(i).child('type'), type, problem);
    const status = textIn(pattern, 'status');
    if (!conditionStatuses.includes(status)) errors.notSupported(at.index(i).child('status'), status, conditionStatuses);
  }
}

export function validateSuccessPolicy(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const policy = objectIn(spec, 'successPolicy') ?? {};
  if (spec.completionMode === 'Indexed') validateSuccessRules(policy, spec, at, errors);
  else errors.invalid(at, internalSuccessPolicy(policy), 'requires indexed completion mode');
}

function validateSuccessRules(policy: JsonObject, spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const rules = objectsIn(policy, 'rules');
  if (rules.length === 0)
    errors.required(at.child('rules'), 'at least one rules must be specified when the successPolicy is specified');
  if (rules.length > maxRules) errors.tooMany(at.child('rules'), rules.length, maxRules);
  for (const [i, rule] of rules.entries())
    validateSuccessRule(rule, numberIn(spec, 'completions'), at.child('rules').index(i), errors);
}

function validateSuccessRule(rule: JsonObject, completions: number, at: FieldPath, errors: FieldErrors): void {
  const indexes = typeof rule.succeededIndexes === 'string' ? rule.succeededIndexes : undefined;
  const count = rule.succeededCount === undefined ? undefined : numberIn(rule, 'succeededCount');
  if (indexes === undefined && count === undefined)
    errors.required(at, 'at least one of succeededCount or succeededIndexes must be specified');
  const total = indexes === undefined ? undefined : validateIndexes(indexes, completions, at.child('succeededIndexes'), errors);
  if (count === undefined) return;
  const countPath = at.child('succeededCount');
  if (count < 0) errors.invalid(countPath, count, notNegative);
  if (count > completions)
    errors.invalid(countPath, count, `must be less than or equal to ${completions} (the number of specified completions)`);
  if (total !== undefined && count > total)
    errors.invalid(
      countPath,
      count,
      `must be less than or equal to ${total} (the number of indexes in the specified succeededIndexes field)`,
    );
}

function validateIndexes(text: string, completions: number, at: FieldPath, errors: FieldErrors): number {
  if (Buffer.byteLength(text) > maxIndexesLength) errors.tooLong(at, maxIndexesLength);
  const indexes = checkIndexes(text, completions);
  if ('total' in indexes) return indexes.total;
  errors.invalid(at, text, `error parsing succeededIndexes: ${indexes.problem}`);
  return 0;
}

/** A policy with the Go field names of the internal type, for messages. */
export function internalSuccessPolicy(policy: JsonObject | undefined): JsonValue {
  if (!policy) return null;
  const rules = objectsIn(policy, 'rules').map(({ succeededIndexes, succeededCount }) => ({
    SucceededIndexes: succeededIndexes ?? null,
    SucceededCount: succeededCount ?? null,
  }));
  return { Rules: policy.rules === undefined || policy.rules === null ? null : rules };
}

export function internalFailurePolicy(policy: JsonObject | undefined): JsonValue {
  if (!policy) return null;
  const rules = objectsIn(policy, 'rules').map((rule) => ({
    Action: textIn(rule, 'action'),
    OnExitCodes: internalExitCodes(objectIn(rule, 'onExitCodes')),
    OnPodConditions: internalPatterns(objectsIn(rule, 'onPodConditions')),
  }));
  return { Rules: policy.rules === undefined || policy.rules === null ? null : rules };
}

function internalExitCodes(codes: JsonObject | undefined): JsonValue {
  if (!codes) return null;
  return { ContainerName: codes.containerName ?? null, Operator: textIn(codes, 'operator'), Values: codes.values ?? null };
}

function internalPatterns(patterns: readonly JsonObject[]): JsonValue {
  if (patterns.length === 0) return null;
  return patterns.map((pattern) => ({ Type: textIn(pattern, 'type'), Status: textIn(pattern, 'status') }));
}
