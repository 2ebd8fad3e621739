import type { Column } from '@tsukube/apiserver';
import { humanDuration, type JsonObject, metadataOf, numberIn, objectIn, objectsIn } from '@tsukube/machinery';
import { containerColumns, selectorColumn, templateSpec } from '../apps/workload-columns.ts';
import { ageColumn, column, nameColumn } from '../common/columns.ts';

const specType = 'io.k8s.api.batch.v1.JobSpec';
const statusType = 'io.k8s.api.batch.v1.JobStatus';

export const jobColumns: readonly Column[] = [
  nameColumn,
  { name: 'Status', type: 'string', description: 'Status of the job.', value: statusCell },
  column('Completions', { type: statusType, field: 'succeeded' }, completionsCell),
  { name: 'Duration', type: 'string', description: 'Time required to complete the job.', value: durationCell },
  ageColumn,
  ...containerColumns(templateSpec),
  selectorColumn(specType, (object) => objectIn(object, 'spec')),
];

function statusCell(object: JsonObject): string {
  const conditions = objectsIn(objectIn(object, 'status'), 'conditions');
  const is = (type: string) => conditions.find((condition) => condition.type === type)?.status === 'True';
  for (const type of ['Complete', 'Failed']) if (is(type)) return type;
  if (metadataOf(object).deletionTimestamp !== undefined) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(is) ?? 'Running';
}

function completionsCell(object: JsonObject): string {
  const spec = objectIn(object, 'spec') ?? {};
  const succeeded = numberIn(objectIn(object, 'status'), 'succeeded');
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = numberIn(spec, 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell(object: JsonObject): ReturnType<Column['value']> {
  const { startTime, completionTime } = objectIn(object, 'status') ?? {};
  if (startTime === undefined) return '';
  if (completionTime === undefined) return { age: startTime as string };
  return humanDuration(Date.parse(completionTime as string) - Date.parse(startTime as string));
}
