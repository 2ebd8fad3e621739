import type { FieldSet } from './field-set.ts';

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

/** What nobody owns, because it names the object or the server alone writes it. */
export const neverOwned: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': { '.': {}, ...Object.fromEntries(serverOwned.map((name) => [`f:${name}`, {}])) },
};
