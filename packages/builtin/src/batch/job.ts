import {
  ageColumn,
  type Column,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import { goQuote, humanDuration, type KubeObject, numberIn, objectIn, objectsIn, path, textIn } from '@tsukube/machinery';
import { containerColumns, isNewGeneration, nameWarning, selectorColumn, templateSpec } from '../apps/workload.ts';
import { specOf, statusOf } from '../common/objects.ts';
import { schemaOf } from '../common/schema.ts';
import { defaultJob, generateSelector, jobSpecWarnings } from './job-defaults.ts';
import { validateJobStatus } from './job-status-validation.ts';
import { validateJobUpdate } from './job-update-validation.ts';
import { validateJob } from './job-validation.ts';

const specType = 'io.k8s.api.batch.v1.JobSpec';
const statusType = 'io.k8s.api.batch.v1.JobStatus';

const jobColumns: readonly Column[] = [
  nameColumn,
  { name: 'Status', type: 'string', description: 'Status of the job.', value: statusCell },
  column('Completions', { type: statusType, field: 'succeeded' }, completionsCell),
  { name: 'Duration', type: 'string', description: 'Time required to complete the job.', value: durationCell },
  ageColumn,
  ...containerColumns(templateSpec),
  selectorColumn(specType, (object) => objectIn(object, 'spec')),
];

const v1: ServedVersion = {
  group: 'batch',
  version: 'v1',
  schema: schemaOf('batch.v1.Job'),
  columns: jobColumns,
  selectableFields: { 'status.successful': (object) => String(numberIn(objectIn(object, 'status'), 'succeeded')) },
  unknownField: (field) => `field label ${goQuote(field)} not supported for Job`,
};

export const job: Resource = {
  names: { plural: 'jobs', singular: 'job', kind: 'Job', listKind: 'JobList', categories: ['all'] },
  scope: 'Namespaced',
  storagePrefix: '/registry/jobs',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: { status: statusSubresource(validateJobStatus) },
  strategy: {
    generation: true,
    // Orphaning is the default of v1 for compatibility.
    defaultPropagation: ({ version }) => (version === 'v1' ? 'orphan' : 'delete'),
    orphanWarning:
      'child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning',
    applyDefaults: defaultJob,
    prepareForCreate(object) {
      if (objectIn(object, 'spec')?.manualSelector !== true) generateSelector(object);
      object.status = {};
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? {};
    },
    validateCreate: (object, errors) => validateJob(object, errors),
    validateUpdate: validateJobUpdate,
    warnings(object, old) {
      if (!isNewGeneration(object, old)) return [];
      return [...(old ? [] : nameWarning(object)), ...jobSpecWarnings(objectIn(object, 'spec'), path('spec'))];
    },
  },
};

function statusCell(object: KubeObject): string {
  const conditions = objectsIn(objectIn(object, 'status'), 'conditions');
  const is = (type: string) => conditions.find((condition) => condition.type === type)?.status === 'True';
  for (const type of ['Complete', 'Failed']) if (is(type)) return type;
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running';
}

function completionsCell(object: KubeObject): string {
  const spec = specOf(object);
  const succeeded = numberIn(objectIn(object, 'status'), 'succeeded');
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = numberIn(spec, 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell(object: KubeObject): ReturnType<Column['value']> {
  const [startTime, completionTime] = [textIn(statusOf(object), 'startTime'), textIn(statusOf(object), 'completionTime')];
  if (startTime === '') return '';
  return completionTime === '' ? { age: startTime } : humanDuration(Date.parse(completionTime) - Date.parse(startTime));
}
