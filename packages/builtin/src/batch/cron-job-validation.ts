import { type FieldErrors, type JsonObject, metadataOf, objectIn, path, textIn } from '@tsukube/machinery';
import { validateNonNegative } from '../common/non-negative.ts';
import { scheduleProblem } from './cron-schedule.ts';
import { validateJobSpec } from './job-validation.ts';
import { timeZoneProblem } from './time-zone.ts';

const specPath = path('spec');
const concurrencyPolicies = ['Allow', 'Forbid', 'Replace'];

export function validateCronJob(object: JsonObject, old: JsonObject | undefined, errors: FieldErrors): void {
  const spec = (object.spec ?? {}) as JsonObject;
  const oldSpec = objectIn(old, 'spec');
  validateSchedule(spec, oldSpec, errors);
  validateNonNegative(spec, ['startingDeadlineSeconds'], specPath, errors);
  const { timeZone } = spec;
  if (timeZone !== undefined && timeZone !== oldSpec?.timeZone) {
    const problem = timeZoneProblem(timeZone as string);
    if (problem !== undefined) errors.invalid(specPath.child('timeZone'), timeZone, problem);
  }
  const policy = textIn(spec, 'concurrencyPolicy');
  if (!concurrencyPolicies.includes(policy))
    errors.notSupported(specPath.child('concurrencyPolicy'), policy, concurrencyPolicies);
  validateTemplate(objectIn(objectIn(spec, 'jobTemplate'), 'spec') ?? {}, errors);
  validateNonNegative(spec, ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'], specPath, errors);
}

const maxNameLength = 52;

/** Jobs add the time to the name, and have to find room for it. */
export function validateCronJobName(object: JsonObject, errors: FieldErrors): void {
  const name = textIn(metadataOf(object), 'name');
  if (name.length > maxNameLength)
    errors.invalid(path('metadata', 'name'), name, `must be no more than ${maxNameLength} characters`);
}

function validateSchedule(spec: JsonObject, oldSpec: JsonObject | undefined, errors: FieldErrors): void {
  const at = specPath.child('schedule');
  const schedule = textIn(spec, 'schedule');
  if (schedule === '') errors.required(at);
  else validateScheduleText(schedule, spec, oldSpec, errors);
}

function validateScheduleText(schedule: string, spec: JsonObject, oldSpec: JsonObject | undefined, errors: FieldErrors): void {
  const at = specPath.child('schedule');
  const problem = scheduleProblem(schedule);
  if (problem !== undefined) errors.invalid(at, schedule, problem);
  if (!schedule.includes('TZ')) return;
  // It was possible once, so what has it may keep it.
  if (!textIn(oldSpec, 'schedule').includes('TZ'))
    errors.invalid(at, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead');
  else if (spec.timeZone !== undefined)
    errors.invalid(at, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule');
}

function validateTemplate(spec: JsonObject, errors: FieldErrors): void {
  const at = specPath.child('jobTemplate', 'spec');
  validateJobSpec(spec, at, errors);
  if (spec.selector !== undefined) errors.invalid(at.child('selector'), spec.selector, '`selector` will be auto-generated');
  if (spec.manualSelector === true) errors.notSupported(at.child('manualSelector'), true, ['nil', 'false']);
}
