import { type FieldErrors, type FieldPath, type JsonObject, numberIn, textIn } from '@tsukube/machinery';
import { overlapProblem, readIndexes } from './job-indexes.ts';

interface ChangedStatus {
  readonly spec: JsonObject;
  readonly status: JsonObject;
  changed(...fields: readonly string[]): boolean;
}

/** Which pods are done, and which have failed for good. */
export function validateStatusIndexes(job: ChangedStatus, at: FieldPath, errors: FieldErrors): void {
  const { spec, status } = job;
  const completed = textIn(status, 'completedIndexes');
  const failed = status.failedIndexes as string | undefined;
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
  const indexes = readIndexes(text, completions);
  if ('problem' in indexes) errors.invalid(at.child(field), text, `error parsing ${field}: ${indexes.problem}`);
}
