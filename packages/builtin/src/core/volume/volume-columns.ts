import { type JsonObject, mapIn, metadataOf, objectIn, textIn, textsIn } from '@tsukube/machinery';
import { classAnnotation } from './persistent-volume-claim-validation.ts';

const shortModes = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
] as const;

export function accessModesCell(owner: JsonObject | undefined): string {
  const modes = textsIn(owner, 'accessModes');
  return shortModes
    .filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
}

export function phaseCell(object: JsonObject): string {
  return metadataOf(object).deletionTimestamp === undefined ? textIn(objectIn(object, 'status'), 'phase') : 'Terminating';
}

/** The storage class, from the field or the deprecated annotation. */
export function classCell(object: JsonObject): string {
  return mapIn(metadataOf(object), 'annotations')[classAnnotation] ?? textIn(objectIn(object, 'spec'), 'storageClassName');
}

export function unsetCell(object: JsonObject, field: string): string {
  const value = objectIn(object, 'spec')?.[field];
  return typeof value === 'string' ? value : '<unset>';
}

/** Adds a protection finalizer. */
export function addFinalizer(object: JsonObject, finalizer: string): void {
  const metadata = metadataOf(object);
  const finalizers = textsIn(metadata, 'finalizers');
  if (!finalizers.includes(finalizer)) metadata.finalizers = [...finalizers, finalizer];
}
