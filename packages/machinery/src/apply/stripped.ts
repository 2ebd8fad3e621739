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

/** Of metadata, as elements of a path. */
export const isServerOwned: ReadonlySet<string> = new Set(serverOwned.map((name) => `f:${name}`));

/** What nobody owns, because it names the object or the server alone writes it. */
export const neverOwned: FieldSet = {
  'f:apiVersion': {},
  'f:kind': {},
  'f:metadata': { '.': {}, ...Object.fromEntries(serverOwned.map((name) => [`f:${name}`, {}])) },
};
