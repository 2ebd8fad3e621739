import { deepEqual } from '../json/equal.ts';
import type { JsonObject } from '../schema/type.ts';
import { type Conflict, conflictsIn } from './conflicts.ts';
import { disown, lossesOf, VersionedComparison } from './disown.ts';
import { difference, type FieldSet, isEmptySet } from './field-set.ts';
import { mergeObjects } from './merge.ts';
import { isSameOwner, type Owner } from './owners.ts';
import { prune } from './prune.ts';
import { neverOwned } from './stripped.ts';
import { fieldSetOf } from './to-set.ts';
import type { Versions } from './versions.ts';
import type { Writer } from './writer.ts';

export type Applied =
  | { readonly kind: 'conflicts'; readonly conflicts: readonly Conflict[] }
  /** `object` is `live` itself if nothing changed. */
  | { readonly kind: 'applied'; readonly object: JsonObject; readonly owners: readonly Owner[] };

/** Merges what is applied into an object, both in the writer's version. Without force, what others own is not changed. */
export function applyConfiguration(
  live: JsonObject,
  configuration: JsonObject,
  owners: readonly Owner[],
  writer: Writer,
  versions: Versions,
  force: boolean,
): Applied {
  const { apiVersion } = writer;
  const shape = versions.shape(apiVersion);
  const known = ownersInKnownVersions(owners, live, versions);
  const last = known.find((owner) => isSameOwner(owner, applierOf(writer)));
  const others = known.filter((owner) => owner !== last);
  const applied = versions.ownable.of(fieldSetOf(configuration, shape));
  const claim: Owner = { ...applierOf(writer), time: last?.time, fields: applied };
  const merged = mergeObjects(live, configuration, shape);
  const object = prune(merged, last, [...others, claim], apiVersion, versions);
  const { kept, losses } = lossesOf(others, new VersionedComparison(live, object, versions));
  const conflicts = force ? [] : conflictsIn(losses.filter(({ changed }) => !isEmptySet(changed)));
  if (conflicts.length > 0) return { kind: 'conflicts', conflicts };
  const unchanged = deepEqual(live, object);
  const own = ownEntry(claim, last, unchanged ? claim.time : writer.time);
  return { kind: 'applied', object: unchanged ? live : object, owners: [...disown(kept, losses), ...own] };
}

/** Converts once for each version, however many owners it has. */
function ownersInKnownVersions(owners: readonly Owner[], live: JsonObject, versions: Versions): readonly Owner[] {
  const known = new Map<string, boolean>();
  return owners.filter(({ apiVersion }) => {
    const isKnown = known.get(apiVersion) ?? versions.convert(live, apiVersion) !== undefined;
    known.set(apiVersion, isKnown);
    return isKnown;
  });
}

function applierOf({ manager, apiVersion, subresource }: Writer): Omit<Owner, 'fields' | 'time'> {
  return { manager, operation: 'Apply', apiVersion, subresource };
}

/** Who applies the same fields again keeps the set that is stored, whose text is known. */
function ownEntry(claim: Owner, last: Owner | undefined, time: string | undefined): Owner[] {
  const fields: FieldSet = difference(claim.fields, neverOwned);
  if (isEmptySet(fields)) return [];
  const isSame = last !== undefined && deepEqual(fields as unknown as JsonObject, last.fields as unknown as JsonObject);
  return [{ ...claim, time, fields: isSame ? last.fields : fields }];
}
