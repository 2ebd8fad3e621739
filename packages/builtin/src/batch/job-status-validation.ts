import {
  deepEqual,
  type FieldErrors,
  type FieldPath,
  type JsonObject,
  type KubeObject,
  numberIn,
  objectIn,
  objectsIn,
  path,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { isConditionTrue } from '../common/conditions.ts';
import { validateNonNegative } from '../common/field-validation.ts';
import { specOf, statusOf } from '../common/objects.ts';
import { checkIndexes, overlapProblem } from './job-indexes.ts';

const statusPath = path('status');
const conditionsPath = statusPath.child('conditions');
const completionPath = statusPath.child('completionTime');

/** Ratcheting: most checks only apply to fields and conditions that the update changes. */
class StatusUpdate {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  readonly old: JsonObject;

  constructor(object: KubeObject, old: KubeObject) {
    this.spec = specOf(object);
    this.status = statusOf(object);
    this.old = statusOf(old);
  }

  is(condition: string): boolean {
    return isConditionTrue(this.status, condition);
  }

  was(condition: string): boolean {
    return isConditionTrue(this.old, condition);
  }

  turned(...conditions: readonly string[]): boolean {
    return conditions.some((condition) => this.is(condition) !== this.was(condition));
  }

  changed(...fields: readonly string[]): boolean {
    return fields.some((field) => !deepEqual(this.status[field] ?? null, this.old[field] ?? null));
  }

  get finished(): boolean {
    return isFinished(this.status);
  }

  get finishing(): boolean {
    return this.finished !== isFinished(this.old);
  }
}

export function validateJobStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const job = new StatusUpdate(object, old);
  validateNonNegative(job.status, ['active', 'succeeded', 'failed', 'ready', 'terminating'], statusPath, errors);
  validateUncounted(job.status, errors);
  validateCompletion(job, errors);
  validateFinished(job, errors);
  validateStatusIndexes(job, statusPath, errors);
  validateCounts(job, errors);
  validateCriteria(job, errors);
  validateTransition(job, errors);
}

function validateUncounted(status: JsonObject, errors: FieldErrors): void {
  const seen = new Set<string>();
  const uncounted = objectIn(status, 'uncountedTerminatedPods');
  for (const field of ['succeeded', 'failed']) {
    for (const [i, uid] of textsIn(uncounted, field).entries()) {
      const at = statusPath.child('uncountedTerminatedPods', field).index(i);
      if (uid === '') errors.invalid(at, uid, 'must not be empty');
      else if (seen.has(uid)) errors.duplicate(at, uid);
      seen.add(uid);
    }
  }
}

function validateCompletion(job: StatusUpdate, errors: FieldErrors): void {
  const { completionTime, startTime } = job.status;
  const complete = job.is('Complete');
  if (job.turned('Complete', 'Failed') && complete && job.is('Failed'))
    errors.invalidUnshown(conditionsPath, 'cannot set Complete=True and Failed=true conditions');
  if (job.turned('Complete', 'FailureTarget') && complete && job.is('FailureTarget'))
    errors.invalidUnshown(conditionsPath, 'cannot set Complete=True and FailureTarget=true conditions');
  const changed = job.turned('Complete') || job.changed('completionTime');
  if (changed && completionTime !== undefined && !complete)
    errors.invalid(completionPath, completionTime, 'cannot set completionTime when there is no Complete=True condition');
  if (changed && completionTime === undefined && complete)
    errors.required(completionPath, 'completionTime is required for Complete jobs');
  const bothTimes = typeof startTime === 'string' && typeof completionTime === 'string';
  if (job.changed('startTime', 'completionTime') && bothTimes && completionTime < startTime)
    errors.invalid(completionPath, completionTime, 'must be equal to or after `startTime`');
  if ((job.turned('Failed') || job.changed('failedIndexes')) && job.is('Failed') && !job.is('FailureTarget'))
    errors.invalidUnshown(conditionsPath, 'cannot set Failed=True condition without the FailureTarget=true condition');
  if (job.turned('Complete', 'SuccessCriteriaMet') && complete && !job.is('SuccessCriteriaMet'))
    errors.invalidUnshown(conditionsPath, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
}

/** A finished job has no active or uncounted pods. */
function validateFinished(job: StatusUpdate, errors: FieldErrors): void {
  if (!job.finished) return;
  const { active, startTime } = job.status;
  if ((job.finishing || job.changed('active')) && Number(active ?? 0) > 0)
    errors.invalid(statusPath.child('active'), active, 'active>0 is invalid for finished job');
  const neverRan = job.spec.suspend === true && job.spec.completions === 0;
  if ((job.finishing || job.changed('startTime')) && !neverRan && startTime === undefined)
    errors.required(statusPath.child('startTime'), 'startTime is required for finished job');
  const uncounted = objectIn(job.status, 'uncountedTerminatedPods');
  const left = textsIn(uncounted, 'succeeded').length + textsIn(uncounted, 'failed').length;
  if ((job.finishing || job.changed('uncountedTerminatedPods')) && left > 0)
    errors.invalid(
      statusPath.child('uncountedTerminatedPods'),
      internalUncountedPods(uncounted),
      'must be empty for finished job',
    );
}

/** With the Go field names of the internal type. */
function internalUncountedPods(uncounted: JsonObject | undefined): JsonObject {
  return { Succeeded: uncounted?.succeeded ?? null, Failed: uncounted?.failed ?? null };
}

function validateCounts(job: StatusUpdate, errors: FieldErrors): void {
  const { terminating, ready } = job.status;
  if (job.finished && (job.finishing || job.changed('terminating')) && Number(terminating ?? 0) > 0)
    errors.invalid(statusPath.child('terminating'), terminating, 'terminating>0 is invalid for finished job');
  if (job.changed('ready', 'active') && ready !== undefined && Number(ready) > numberIn(job.status, 'active'))
    errors.invalid(statusPath.child('ready'), ready, 'cannot set more ready pods than active');
}

function validateCriteria(job: StatusUpdate, errors: FieldErrors): void {
  const met = job.is('SuccessCriteriaMet');
  if (met && job.is('Failed'))
    errors.invalidUnshown(conditionsPath, 'cannot set SuccessCriteriaMet=True and Failed=true conditions');
  if (met && job.is('FailureTarget'))
    errors.invalidUnshown(conditionsPath, 'cannot set SuccessCriteriaMet=True and FailureTarget=true conditions');
  if (job.spec.successPolicy !== undefined && !met && job.is('Complete'))
    errors.invalidUnshown(conditionsPath, 'cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True');
}

/** Terminal conditions, counters and times must not be reverted. */
function validateTransition(job: StatusUpdate, errors: FieldErrors): void {
  const { status, old, spec } = job;
  for (const condition of ['Failed', 'Complete', 'FailureTarget'])
    if (job.was(condition) && !job.is(condition))
      errors.invalidUnshown(conditionsPath, `cannot disable the terminal ${condition}=True condition`);
  // An elastic indexed job may be scaled down, which decreases succeeded.
  const shrinks = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  for (const field of shrinks ? ['failed'] : ['failed', 'succeeded'])
    if (numberIn(status, field) < numberIn(old, field))
      errors.invalid(statusPath.child(field), numberIn(status, field), `cannot decrease the ${field} counter`);
  const { completionTime } = status;
  if (completionTime !== undefined && old.completionTime !== undefined && completionTime !== old.completionTime)
    errors.invalid(completionPath, completionTime, 'field is immutable');
  validateStartTime(job, errors);
  if (job.was('SuccessCriteriaMet') && !job.is('SuccessCriteriaMet'))
    errors.invalidUnshown(conditionsPath, 'cannot disable the SuccessCriteriaMet=True condition');
  if (job.was('Complete') && !job.was('SuccessCriteriaMet') && job.is('SuccessCriteriaMet'))
    errors.invalidUnshown(conditionsPath, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
}

function validateStartTime({ status, old, spec }: StatusUpdate, errors: FieldErrors): void {
  const resuming = isConditionTrue(old, 'Suspended') && hasCondition(status, 'Suspended', 'False');
  const moved = old.startTime !== undefined && status.startTime !== old.startTime;
  if (moved && !resuming && spec.suspend !== true)
    errors.invalid(statusPath.child('startTime'), status.startTime ?? null, 'field is immutable for unsuspended job once set');
}

/** Validates completedIndexes and failedIndexes. */
function validateStatusIndexes(job: StatusUpdate, at: FieldPath, errors: FieldErrors): void {
  const { spec, status } = job;
  const completed = textIn(status, 'completedIndexes');
  const failed = typeof status.failedIndexes === 'string' ? status.failedIndexes : undefined;
  const completions = spec.completions === undefined ? undefined : numberIn(spec, 'completions');
  const completedChanged = job.changed('completedIndexes');
  const failedChanged = job.changed('failedIndexes');
  if (completedChanged && completions !== undefined) validateFormat('completedIndexes', completed, completions, at, errors);
  if (failedChanged && completions !== undefined && spec.backoffLimitPerIndex !== undefined && failed !== undefined)
    validateFormat('failedIndexes', failed, completions, at, errors);
  if (completedChanged && completed !== '' && spec.completionMode !== 'Indexed')
    errors.invalid(
      at.child('completedIndexes'),
      completed,
      'cannot set non-empty completedIndexes when non-indexed completion mode',
    );
  if (failedChanged && spec.backoffLimitPerIndex === undefined && failed !== undefined)
    errors.invalid(at.child('failedIndexes'), failed, 'cannot set non-null failedIndexes when backoffLimitPerIndex is null');
  if ((failedChanged || completedChanged) && completions !== undefined && failed !== undefined) {
    const problem = overlapProblem(completed, failed, completions);
    if (problem !== undefined) errors.invalid(at.child('failedIndexes'), failed, problem);
  }
}

function validateFormat(field: string, text: string, completions: number, at: FieldPath, errors: FieldErrors): void {
  const indexes = checkIndexes(text, completions);
  if ('problem' in indexes) errors.invalid(at.child(field), text, `error parsing ${field}: ${indexes.problem}`);
}

function hasCondition(status: JsonObject | undefined, type: string, value: string): boolean {
  return objectsIn(status, 'conditions').some((condition) => condition.type === type && condition.status === value);
}

function isFinished(status: JsonObject | undefined): boolean {
  return isConditionTrue(status, 'Complete') || isConditionTrue(status, 'Failed');
}
