import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { ensureObject, fillIn, type JsonObject, objectIn, objectsIn, path, textIn } from '@tsukube/machinery';
import { containerColumns, selectorColumn } from '../apps/workload-columns.ts';
import { isNewGeneration, nameWarning } from '../apps/workload-warnings.ts';
import { ageColumn, column, nameColumn } from '../common/columns.ts';
import { schemaOf } from '../common/schema.ts';
import { statusSubresource } from '../common/status-subresource.ts';
import { validateCronJob, validateCronJobName } from './cron-job-validation.ts';
import { defaultJobTemplate } from './job-defaults.ts';
import { jobSpecWarnings } from './job-warnings.ts';

const specType = 'io.k8s.api.batch.v1.CronJobSpec';
const statusType = 'io.k8s.api.batch.v1.CronJobStatus';
const spec = (object: JsonObject) => objectIn(object, 'spec');
const status = (object: JsonObject) => objectIn(object, 'status');
const jobSpec = (object: JsonObject) => objectIn(objectIn(spec(object), 'jobTemplate'), 'spec');

const v1: ServedVersion = {
  group: 'batch',
  version: 'v1',
  schema: schemaOf('batch.v1.CronJob'),
  columns: [
    nameColumn,
    column('Schedule', { type: specType, field: 'schedule' }, (object) => textIn(spec(object), 'schedule')),
    column('Timezone', { type: specType, field: 'timeZone' }, (object) => (spec(object)?.timeZone ?? '<none>') as string),
    column('Suspend', { type: specType, field: 'suspend' }, suspendCell, { type: 'boolean' }),
    column('Active', { type: statusType, field: 'active' }, (object) => objectsIn(status(object), 'active').length, {
      type: 'integer',
    }),
    column('Last Schedule', { type: statusType, field: 'lastScheduleTime' }, (object) => {
      const time = status(object)?.lastScheduleTime as string | undefined;
      return time === undefined ? '<none>' : { age: time };
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

function suspendCell(object: JsonObject): string {
  const suspend = spec(object)?.suspend;
  if (suspend === undefined) return '<unset>';
  return suspend === true ? 'True' : 'False';
}

function applyDefaults(object: JsonObject): void {
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

function warnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const ofJob = isNewGeneration(object, old) ? jobSpecWarnings(jobSpec(object), path('spec', 'jobTemplate', 'spec')) : [];
  if (!old) return [...nameWarning(object), ...ofJob];
  return textIn(spec(object), 'schedule').includes('TZ') ? [...ofJob, zoneInSchedule] : ofJob;
}
