import { union } from './field-set.ts';
import { compareText, type Owner, ownerText } from './owners.ts';

const maxUpdaters = 10;
const ancient = 'ancient-changes';

/** Beyond ten owners by update, the oldest of each version become one. */
export function capUpdaters(owners: readonly Owner[]): readonly Owner[] {
  const updaters = owners.filter(({ operation }) => operation === 'Update');
  let excess = updaters.length - maxUpdaters;
  if (excess <= 0) return owners;
  updaters.sort((a, b) => compareText(a.time ?? '', b.time ?? '') || compareText(ownerText(a), ownerText(b)));
  const gone = new Set<Owner>();
  const buckets = new Map<string, Owner>();
  for (const owner of updaters) {
    if (excess <= 0) break;
    const first = buckets.get(owner.apiVersion);
    gone.add(owner);
    buckets.set(owner.apiVersion, first ? merged(first, owner) : owner);
    if (first) excess--;
  }
  return [...owners.filter((owner) => !gone.has(owner)), ...buckets.values()];
}

function merged(bucket: Owner, owner: Owner): Owner {
  return { ...owner, manager: ancient, subresource: '', fields: union(owner.fields, bucket.fields) };
}
