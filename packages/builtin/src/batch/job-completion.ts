import { type FieldErrors, type FieldPath, type JsonObject, numberIn } from '@tsukube/machinery';

/** So that the lists of indexes in the status stay short enough. */
const maxParallelism = 100_000;
const maxFailedIndexes = 100_000;
const manyCompletions = 100_000;
const maxOfMany = 10_000;

export function validateCompletionMode(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
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
