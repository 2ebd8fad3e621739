import {
  type FieldErrors,
  type FieldPath,
  formatMessage,
  isDNS1123Label,
  isDNS1123Subdomain,
  type JsonObject,
  type KubeObject,
  numberIn,
  objectIn,
  path,
  textIn,
  validateLabelSelector,
} from '@tsukube/machinery';
import { selectorIn } from '../apps/workload.ts';
import { validateTemplateLabels } from '../apps/workload-validation.ts';
import { validateNonNegative } from '../common/field-validation.ts';
import { specOf } from '../common/objects.ts';
import { validatePodTemplate } from '../core/pod-spec/validation.ts';
import { legacyNameLabel, legacyUidLabel, nameLabel, uidLabel } from './job-defaults.ts';
import { validateFailurePolicy, validateSuccessPolicy } from './job-policies.ts';

const specPath = path('spec');
const maxManagedByLength = 63;

interface JobRatcheting {
  /** Ratcheting: stored jobs may lack the labels with the batch.kubernetes.io prefix. */
  readonly withoutPrefix?: boolean;
}

export function validateJob(object: KubeObject, errors: FieldErrors, ratcheting: JobRatcheting = {}): void {
  const spec = specOf(object);
  validateGeneratedSelector(object, spec, ratcheting, errors);
  validateWholeSpec(spec, errors);
  const { name = '' } = object.metadata;
  const completions = numberIn(spec, 'completions');
  if (spec.completionMode !== 'Indexed' || completions <= 0) return;
  const hostname = `${name}-${completions - 1}`;
  if (isDNS1123Label(hostname).length > 0)
    errors.invalid(path('metadata', 'name'), name, `will not able to create pod with invalid DNS label: ${hostname}`);
}

/** Including the selector, which a jobTemplate of a CronJob does not have. */
export function validateWholeSpec(spec: JsonObject, errors: FieldErrors): void {
  validateJobSpec(spec, specPath, errors);
  const selector = objectIn(spec, 'selector');
  if (!selector) errors.required(specPath.child('selector'));
  validateLabelSelector(selector, specPath.child('selector'), errors);
  const usable = selectorIn(spec);
  if (usable) validateTemplateLabels(objectIn(spec, 'template') ?? {}, usable, specPath.child('template'), errors);
}

function validateGeneratedSelector(object: KubeObject, spec: JsonObject, rules: JobRatcheting, errors: FieldErrors): void {
  if (spec.manualSelector === true || !objectIn(spec, 'selector')) return;
  const { name, uid } = object.metadata as { name: string; uid: string };
  const expected: [string, string][] = [
    [legacyUidLabel, uid],
    [legacyNameLabel, name],
  ];
  if (!rules.withoutPrefix) expected.push([uidLabel, uid], [nameLabel, name]);
  const labels = objectIn(objectIn(objectIn(spec, 'template'), 'metadata'), 'labels') ?? {};
  for (const [label, value] of expected) validateHasLabel(labels, label, value, errors);
  const selector = selectorIn(spec);
  if (selector && !selector.matches(Object.fromEntries(expected)))
    errors.invalid(specPath.child('selector'), spec.selector, '`selector` not auto-generated');
}

function validateHasLabel(labels: JsonObject, label: string, value: string, errors: FieldErrors): void {
  const at = specPath.child('template', 'metadata', 'labels').key(label);
  if (!Object.hasOwn(labels, label)) errors.required(at, `must be '${value}'`);
  else if (labels[label] !== value) errors.invalid(at, labels, `must be '${value}'`);
}

export function validateJobSpec(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const numbers = [
    'parallelism',
    'completions',
    'activeDeadlineSeconds',
    'backoffLimit',
    'ttlSecondsAfterFinished',
    'backoffLimitPerIndex',
    'maxFailedIndexes',
  ];
  validateNonNegative(spec, numbers, at, errors);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    errors.required(at.child('backoffLimitPerIndex'), 'when maxFailedIndexes is specified');
  if (spec.managedBy !== undefined) validateManagedBy(textIn(spec, 'managedBy'), at.child('managedBy'), errors);
  validateCompletionMode(spec, at, errors);
  if (spec.podFailurePolicy !== undefined) validateFailurePolicy(spec, at.child('podFailurePolicy'), errors);
  if (spec.successPolicy !== undefined) validateSuccessPolicy(spec, at.child('successPolicy'), errors);
  validateReplacementPolicy(spec, at.child('podReplacementPolicy'), errors);
  validatePodTemplate(objectIn(spec, 'template') ?? {}, at.child('template'), errors);
  validateRestartPolicy(spec, at.child('template', 'spec', 'restartPolicy'), errors);
}

const pathPattern = "[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+";
const wholePath = new RegExp(`^${pathPattern}$`);

function validateManagedBy(managedBy: string, at: FieldPath, errors: FieldErrors): void {
  if (managedBy === '') errors.required(at);
  else validateDomainPath(managedBy, at, errors);
  if (Buffer.byteLength(managedBy) > maxManagedByLength) errors.tooLong(at, maxManagedByLength);
}

function validateDomainPath(text: string, at: FieldPath, errors: FieldErrors): void {
  const slash = text.indexOf('/');
  const host = text.slice(0, Math.max(slash, 0));
  const rest = text.slice(slash + 1);
  if (host === '' || rest === '') {
    errors.invalid(at, text, 'must be a domain-prefixed path (such as "acme.io/foo")');
    return;
  }
  for (const problem of isDNS1123Subdomain(host)) errors.invalid(at, host, problem);
  if (!wholePath.test(rest)) errors.invalid(at, rest, formatMessage('Invalid path', pathPattern));
}

const replacementPolicies = ['Failed', 'TerminatingOrFailed'];

/** With a podFailurePolicy only Failed is supported: a terminating pod has no exit code yet. */
function validateReplacementPolicy(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (spec.podReplacementPolicy === undefined) return;
  const supported = spec.podFailurePolicy === undefined ? replacementPolicies : ['Failed'];
  const policy = textIn(spec, 'podReplacementPolicy');
  if (!supported.includes(policy)) errors.notSupported(at, policy, supported);
}

function validateRestartPolicy(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const policy = textIn(objectIn(objectIn(spec, 'template'), 'spec'), 'restartPolicy');
  if (policy === 'Always' || policy === '') errors.required(at, 'valid values: "OnFailure", "Never"');
  else if (policy !== 'OnFailure' && policy !== 'Never') errors.notSupported(at, policy, ['OnFailure', 'Never']);
  else if (spec.podFailurePolicy !== undefined && policy !== 'Never')
    errors.invalid(at, policy, 'only "Never" is supported when podFailurePolicy is specified');
}

/** Bounds the size of the index lists in the status. */
const maxParallelism = 100_000;
const maxFailedIndexes = 100_000;
const manyCompletions = 100_000;
const maxOfMany = 10_000;

function validateCompletionMode(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const mode = spec.completionMode;
  if (mode !== undefined && mode !== 'NonIndexed' && mode !== 'Indexed')
    errors.notSupported(at.child('completionMode'), mode, ['NonIndexed', 'Indexed']);
  if (mode === 'Indexed') validateIndexed(spec, at, errors);
  if (mode !== undefined && mode !== 'NonIndexed') return;
  for (const field of ['backoffLimitPerIndex', 'maxFailedIndexes'])
    if (spec[field] !== undefined) errors.invalid(at.child(field), spec[field], 'requires indexed completion mode');
}

function validateIndexed(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const completions = numberIn(spec, 'completions');
  const parallelism = numberIn(spec, 'parallelism');
  const failed = numberIn(spec, 'maxFailedIndexes');
  const failedPath = at.child('maxFailedIndexes');
  if (spec.completions === undefined) errors.required(at.child('completions'), 'when completion mode is Indexed');
  if (parallelism > maxParallelism)
    errors.invalid(
      at.child('parallelism'),
      parallelism,
      `must be less than or equal to ${maxParallelism} when completion mode is Indexed`,
    );
  if (spec.completions !== undefined && spec.maxFailedIndexes !== undefined && failed > completions)
    errors.invalid(failedPath, failed, 'must be less than or equal to completions');
  if (failed > maxFailedIndexes) errors.invalid(failedPath, failed, `must be less than or equal to ${maxFailedIndexes}`);
  if (completions > manyCompletions && spec.backoffLimitPerIndex !== undefined) validateMany(spec, at, errors);
}

function validateMany(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const limit = `must be less than or equal to ${maxOfMany} when completions are above ${manyCompletions} and used with backoff limit per index`;
  if (spec.maxFailedIndexes === undefined)
    errors.required(at.child('maxFailedIndexes'), `must be specified when completions is above ${manyCompletions}`);
  for (const field of ['parallelism', 'maxFailedIndexes'])
    if (numberIn(spec, field) > maxOfMany) errors.invalid(at.child(field), spec[field], limit);
}
