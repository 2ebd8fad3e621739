import {
  ageColumn,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  ensureObject,
  type FieldErrors,
  fillIn,
  type JsonObject,
  type KubeObject,
  objectIn,
  objectsIn,
  path,
  textIn,
} from '@tsukube/machinery';
import { containerColumns, isNewGeneration, nameWarning, selectorColumn } from '../apps/workload.ts';
import { validateNonNegative } from '../common/field-validation.ts';
import { specOf } from '../common/objects.ts';
import { schemaOf } from '../common/schema.ts';
import { scheduleProblem, timeZoneProblem } from './cron-schedule.ts';
import { defaultJobTemplate, jobSpecWarnings } from './job-defaults.ts';
import { validateJobSpec } from './job-validation.ts';

const specType = 'io.k8s.api.batch.v1.CronJobSpec';
const statusType = 'io.k8s.api.batch.v1.CronJobStatus';
const spec = (object: KubeObject) => objectIn(object, 'spec');
const status = (object: KubeObject) => objectIn(object, 'status');
const jobSpec = (object: KubeObject) => objectIn(objectIn(spec(object), 'jobTemplate'), 'spec');

const v1: ServedVersion = {
  group: 'batch',
  version: 'v1',
  schema: schemaOf('batch.v1.CronJob'),
  columns: [
    nameColumn,
    column('Schedule', { type: specType, field: 'schedule' }, (object) => textIn(spec(object), 'schedule')),
    column('Timezone', { type: specType, field: 'timeZone' }, timeZoneCell),
    column('Suspend', { type: specType, field: 'suspend' }, suspendCell, { type: 'boolean' }),
    column('Active', { type: statusType, field: 'active' }, (object) => objectsIn(status(object), 'active').length, {
      type: 'integer',
    }),
    column('Last Schedule', { type: statusType, field: 'lastScheduleTime' }, (object) => {
      const time = textIn(status(object), 'lastScheduleTime');
      return time === '' ? '<none>' : { age: time };
    }),
    ageColumn,
    ...containerColumns((object) => objectIn(objectIn(jobSpec(object), 'template'), 'spec')),
    selectorColumn('io.k8s.api.batch.v1.JobSpec', jobSpec),
  ],
};

export const cronJob: Resource = {
  names: {
    plural: 'cronjobs',
    singular: 'cronjob',
    kind: 'CronJob',
    listKind: 'CronJobList',
    shortNames: ['cj'],
    categories: ['all'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/cronjobs',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: { status: statusSubresource(() => {}) },
  strategy: {
    generation: true,
    defaultPropagation: ({ version }) => (version === 'v1beta1' ? 'orphan' : 'delete'),
    applyDefaults,
    prepareForCreate(object) {
      object.status = {};
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate(object, errors) {
      validateCronJob(object, undefined, errors);
      validateCronJobName(object, errors);
    },
    validateUpdate: validateCronJob,
    warnings,
  },
};

function timeZoneCell(object: KubeObject): string {
  const { timeZone } = specOf(object);
  return typeof timeZone === 'string' ? timeZone : '<none>';
}

function suspendCell(object: KubeObject): string {
  const suspend = spec(object)?.suspend;
  if (suspend === undefined) return '<unset>';
  return suspend === true ? 'True' : 'False';
}

function applyDefaults(object: KubeObject): void {
  const cronSpec = ensureObject(object, 'spec');
  cronSpec.schedule ??= '';
  fillIn(cronSpec, 'concurrencyPolicy', 'Allow');
  cronSpec.suspend ??= false;
  const template = ensureObject(cronSpec, 'jobTemplate');
  ensureObject(template, 'metadata');
  defaultJobTemplate(ensureObject(template, 'spec'));
  cronSpec.successfulJobsHistoryLimit ??= 3;
  cronSpec.failedJobsHistoryLimit ??= 1;
  object.status ??= {};
}

const zoneInSchedule =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';

function warnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const ofJob = isNewGeneration(object, old) ? jobSpecWarnings(jobSpec(object), path('spec', 'jobTemplate', 'spec')) : [];
  if (!old) return [...nameWarning(object), ...ofJob];
  return textIn(spec(object), 'schedule').includes('TZ') ? [...ofJob, zoneInSchedule] : ofJob;
}

const specPath = path('spec');
const concurrencyPolicies = ['Allow', 'Forbid', 'Replace'];

function validateCronJob(object: KubeObject, old: KubeObject | undefined, errors: FieldErrors): void {
  const spec = specOf(object);
  const oldSpec = objectIn(old, 'spec');
  validateSchedule(spec, oldSpec, errors);
  validateNonNegative(spec, ['startingDeadlineSeconds'], specPath, errors);
  const { timeZone } = spec;
  if (timeZone !== undefined && timeZone !== oldSpec?.timeZone) {
    const problem = timeZoneProblem(textIn(spec, 'timeZone'));
    if (problem !== undefined) errors.invalid(specPath.child('timeZone'), timeZone, problem);
  }
  const policy = textIn(spec, 'concurrencyPolicy');
  if (!concurrencyPolicies.includes(policy))
    errors.notSupported(specPath.child('concurrencyPolicy'), policy, concurrencyPolicies);
  validateTemplate(objectIn(objectIn(spec, 'jobTemplate'), 'spec') ?? {}, errors);
  validateNonNegative(spec, ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit'], specPath, errors);
}

const maxNameLength = 52;

/** Jobs append a timestamp to the name, so it must be shorter. */
function validateCronJobName(object: KubeObject, errors: FieldErrors): void {
  const { name = '' } = object.metadata;
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
  // Ratcheting: a stored schedule with TZ stays valid.
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
