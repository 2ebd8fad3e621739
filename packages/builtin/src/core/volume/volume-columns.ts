import { type JsonObject, type KubeObject, mapIn, objectIn, textIn, textsIn } from '@tsukube/machinery';
import { storageClassAnnotation } from './persistent-volume-claim-validation.ts';

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

export function phaseCell(object: KubeObject): string {
  return object.metadata.deletionTimestamp === undefined ? textIn(objectIn(object, 'status'), 'phase') : 'Terminating';
}

/** The storage class, from the field or the deprecated annotation. */
export function classCell(object: KubeObject): string {
  return mapIn(object.metadata, 'annotations')[storageClassAnnotation] ?? textIn(objectIn(object, 'spec'), 'storageClassName');
}

export function unsetCell(object: KubeObject, field: string): string {
  const value = objectIn(object, 'spec')?.[field];
  return typeof value === 'string' ? value : '<unset>';
}
