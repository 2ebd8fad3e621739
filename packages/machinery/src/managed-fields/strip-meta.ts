import { type FieldSet, isMember } from './field-set.ts';

const serverOwned = [
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

/** Keys of objects, and of their metadata, that nobody owns. */
export const typeMeta: ReadonlySet<string> = new Set(['apiVersion', 'kind']);
export const strippedMetadata: ReadonlySet<string> = new Set(serverOwned);

/** What nobody owns, because it names the object or the server alone writes it. */
export const strippedFields: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': { '.': {}, ...Object.fromEntries(serverOwned.map((name) => [`f:${name}`, {}])) },
};

/** Whether somebody owns what nobody should, or something in it: clients may send any record. */
export function hasStrippedFields(fields: FieldSet): boolean {
  const metadata = fields['f:metadata'];
  const hasMetadata = metadata !== undefined && (isMember(metadata) || serverOwned.some((name) => metadata[`f:${name}`]));
  return hasMetadata || fields['f:apiVersion'] !== undefined || fields['f:kind'] !== undefined;
}
