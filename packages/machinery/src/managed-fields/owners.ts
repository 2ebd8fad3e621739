import { stringifyJson } from '../json/stringify.ts';
import { type FieldSet, unionOfAll } from './field-set.ts';

export type ManagedFieldsOperation = 'Apply' | 'Update';

/** A decoded entry of managedFields: the fields of one manager, operation, subresource and version. */
export interface Owner {
  readonly manager: string;
  readonly operation: ManagedFieldsOperation;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** Whether two entries belong to the same owner. An applier is the same in every version. */
export function isSameOwner(a: Owner, b: Omit<Owner, 'fields' | 'time'>): boolean {
  return (
    a.manager === b.manager &&
    a.operation === b.operation &&
    a.subresource === b.subresource &&
    (a.operation === 'Apply' || a.apiVersion === b.apiVersion)
  );
}

/** The identifier of an owner, as structured-merge-diff builds it; conflict messages are sorted by it. */
export function ownerText({ manager, operation, apiVersion, subresource }: Owner): string {
  return stringifyJson({
    ...(manager !== '' && { manager }),
    operation,
    ...(operation === 'Update' && { apiVersion }),
    ...(subresource !== '' && { subresource }),
  });
}

/** Keeps only the last entry of each owner. Linear: clients choose the number of entries. */
export function lastOfEach(owners: readonly Owner[]): readonly Owner[] {
  if (owners.length < 2) return owners;
  const seen = new Set<string>();
  const last: Owner[] = [];
  for (let i = owners.length - 1; i >= 0; i--) {
    const owner = owners[i] as Owner;
    const identity = identityOf(owner);
    if (seen.has(identity)) continue;
    seen.add(identity);
    last.push(owner);
  }
  return last.length === owners.length ? owners : last.reverse();
}

/** Unique per owner: every part but the last is preceded by its length. */
function identityOf({ manager, operation, apiVersion, subresource }: Owner): string {
  const version = operation === 'Apply' ? '' : apiVersion;
  return `${operation}\0${version.length}\0${version}${subresource.length}\0${subresource}${manager}`;
}

/** Times are canonical, so they sort as strings. */
export function compareOwners(a: Owner, b: Owner): number {
  return (
    compareText(a.operation, b.operation) ||
    compareText(a.time ?? '', b.time ?? '') ||
    compareText(a.manager, b.manager) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const maxUpdaters = 10;
const ancient = 'ancient-changes';

/** Beyond ten update entries, merges the oldest of each version into `ancient-changes`. */
export function capManagers(owners: readonly Owner[]): readonly Owner[] {
  const updaters = owners.filter(({ operation }) => operation === 'Update');
  let excess = updaters.length - maxUpdaters;
  if (excess <= 0) return owners;
  const gone = new Set<Owner>();
  const buckets = new Map<string, Owner[]>();
  for (const owner of oldestFirst(updaters)) {
    if (excess <= 0) break;
    const bucket = buckets.get(owner.apiVersion);
    gone.add(owner);
    if (bucket === undefined) buckets.set(owner.apiVersion, [owner]);
    else {
      bucket.push(owner);
      excess--;
    }
  }
  return [...owners.filter((owner) => !gone.has(owner)), ...[...buckets.values()].map(merged)];
}

function oldestFirst(updaters: readonly Owner[]): readonly Owner[] {
  return updaters
    .map((owner) => ({ owner, text: ownerText(owner) }))
    .sort((a, b) => compareText(a.owner.time ?? '', b.owner.time ?? '') || compareText(a.text, b.text))
    .map(({ owner }) => owner);
}

function merged(bucket: readonly Owner[]): Owner {
  const newest = bucket[bucket.length - 1] as Owner;
  if (bucket.length === 1) return newest;
  return { ...newest, manager: ancient, subresource: '', fields: unionOfAll(bucket.map(({ fields }) => fields)) };
}
