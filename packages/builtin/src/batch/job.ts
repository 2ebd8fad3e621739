import { type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import { goQuote, numberIn, objectIn, path } from '@tsukube/machinery';
import { isNewGeneration, nameWarning } from '../apps/workload-warnings.ts';
import { schemaOf } from '../common/schema.ts';
import { statusSubresource } from '../common/status-subresource.ts';
import { jobColumns } from './job-columns.ts';
import { defaultJob, generateSelector } from './job-defaults.ts';
import { validateJobStatus } from './job-status-validation.ts';
import { validateJobUpdate } from './job-update-validation.ts';
import { validateJob } from './job-validation.ts';
import { jobSpecWarnings } from './job-warnings.ts';

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
    // So it has been from the first version on, and clients rely on it.
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
