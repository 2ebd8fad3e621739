import { unionOfAll } from './field-set.ts';
import { compareText, type Owner, ownerText } from './owners.ts';

const maxUpdaters = 10;
const ancient = 'ancient-changes';

/** Beyond ten owners by update, the oldest of each version become one. */
export function capUpdaters(owners: readonly Owner[]): readonly Owner[] {
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
