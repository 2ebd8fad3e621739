import { type FieldErrors, type FieldPath, type JsonObject, mapIn, metadataOf, objectIn } from '@tsukube/machinery';
import { notNegative } from '../common/non-negative.ts';
import { parseAnnotation } from './number-annotation.ts';

/** The revision to go back to was a field of versions that are gone; old clients still find it in an annotation. */
const annotation = 'deprecated.deployment.rollback.to';

/** Fails with 400 if it is no number. */
export function normalizeRollback(object: JsonObject): void {
  const revision = revisionOf(object);
  const annotations = objectIn(metadataOf(object), 'annotations');
  if (annotations && revision !== undefined) annotations[annotation] = String(revision);
}

export function validateRollback(object: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const revision = revisionOf(object);
  if (revision !== undefined && revision < 0n) errors.invalid(at, revision, notNegative);
}

function revisionOf(object: JsonObject): bigint | undefined {
  const text = mapIn(metadataOf(object), 'annotations')[annotation];
  if (text === undefined || text === '') return undefined;
  return parseAnnotation(text, 'Deployment', `failed to parse annotation[${annotation}]=${text} as int64: `);
}
