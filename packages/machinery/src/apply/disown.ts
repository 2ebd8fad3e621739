import type { JsonObject } from '../schema/type.ts';
import { type Comparison, compareObjects } from './compare.ts';
import { difference, type FieldSet, intersection, isEmptySet, noFields } from './field-set.ts';
import type { Owner } from './owners.ts';
import { convertFor, type Versions } from './versions.ts';

/** What a write takes from an owner, in that owner's version. */
export interface Loss {
  readonly owner: Owner;
  /** Paths of the owner that got another value. */
  readonly changed: FieldSet;
  /** Paths of the owner that are gone. */
  readonly removed: FieldSet;
}

/** Comparisons of the same two objects in the versions in which there are owners. */
export class VersionedComparison {
  readonly #before: JsonObject;
  readonly #after: JsonObject;
  readonly #versions: Versions;
  readonly #known = new Map<string, Comparison | undefined>();

  constructor(before: JsonObject, after: JsonObject, versions: Versions) {
    this.#before = before;
    this.#after = after;
    this.#versions = versions;
  }

  /** Undefined if the version is not known. */
  in(apiVersion: string): Comparison | undefined {
    if (!this.#known.has(apiVersion)) this.#known.set(apiVersion, this.#compare(apiVersion));
    return this.#known.get(apiVersion);
  }

  #compare(apiVersion: string): Comparison | undefined {
    const { ownable } = this.#versions;
    const before = convertFor('failed to convert old object', this.#before, apiVersion, this.#versions);
    const after = convertFor('failed to convert new object', this.#after, apiVersion, this.#versions);
    if (before === undefined || after === undefined) return undefined;
    const { changed, removed } = compareObjects(before, after, this.#versions.shape(apiVersion));
    return { changed: ownable.of(changed), removed: ownable.of(removed) };
  }
}

/** What each owner loses by a change. Owners of versions that are not known are left out of `kept`. */
export function lossesOf(owners: readonly Owner[], comparison: VersionedComparison): { kept: Owner[]; losses: Loss[] } {
  const kept: Owner[] = [];
  const losses: Loss[] = [];
  for (const owner of owners) {
    const compared = comparison.in(owner.apiVersion);
    if (compared === undefined) continue;
    kept.push(owner);
    // The owner's set comes second: an intersection takes as long as its second operand is large.
    const changed = intersection(compared.changed, owner.fields);
    const removed = isEmptySet(compared.removed) ? noFields : intersection(compared.removed, owner.fields);
    if (!isEmptySet(changed) || !isEmptySet(removed)) losses.push({ owner, changed, removed });
  }
  return { kept, losses };
}

/** The owners with what is left to them; those without anything are gone. */
export function disown(owners: readonly Owner[], losses: readonly Loss[]): Owner[] {
  const byOwner = new Map(losses.map((loss) => [loss.owner, loss]));
  const left: Owner[] = [];
  for (const owner of owners) {
    const loss = byOwner.get(owner);
    const fields = loss ? difference(difference(owner.fields, loss.changed), loss.removed) : owner.fields;
    if (!isEmptySet(fields)) left.push(fields === owner.fields ? owner : { ...owner, fields });
  }
  return left;
}
