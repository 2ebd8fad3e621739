import { type FieldSet, isMember } from './field-set.ts';

const systemFields = [
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'clusterName',
  'generation',
  'managedFields',
  'resourceVersion',
];

/** Keys of objects that are never owned. */
export const typeMeta: ReadonlySet<string> = new Set(['apiVersion', 'kind']);
/** Keys of metadata that are never owned. */
export const strippedMetadata: ReadonlySet<string> = new Set(systemFields);

/** Fields that are never owned: they identify the object or are set by the server. */
export const strippedFields: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': { '.': {}, ...Object.fromEntries(systemFields.map((name) => [`f:${name}`, {}])) },
};

/** Whether a set contains such fields. Clients may send any managedFields. */
export function hasStrippedFields(fields: FieldSet): boolean {
  const metadata = fields['f:metadata'];
  const hasMetadata = metadata !== undefined && (isMember(metadata) || systemFields.some((name) => metadata[`f:${name}`]));
  return hasMetadata || fields['f:apiVersion'] !== undefined || fields['f:kind'] !== undefined;
}
