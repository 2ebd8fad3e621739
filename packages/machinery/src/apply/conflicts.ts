import type { StatusCause } from '../errors/status.ts';
import { StatusError } from '../errors/status-error.ts';
import type { JsonObject } from '../json/value.ts';
import {
  difference,
  type FieldSet,
  hasPath,
  intersection,
  isEmptySet,
  noFields,
  pathsOf,
  sortedSet,
} from '../managed-fields/field-set.ts';
import { compareText, type Owner, ownerText } from '../managed-fields/owners.ts';
import { describePath, type PathElement } from '../managed-fields/path-element.ts';
import { goQuote } from '../text/go-quote.ts';
import { type Comparison, compareObjects } from './compare.ts';
import { convertFor, type Versions } from './field-manager.ts';

/** A path that another manager owns with another value. */
export interface Conflict {
  readonly owner: Owner;
  readonly path: readonly PathElement[];
}

export function conflictsIn(losses: readonly Loss[]): readonly Conflict[] {
  return [...losses]
    .sort((a, b) => compareText(ownerText(a.owner), ownerText(b.owner)))
    .flatMap(({ owner, changed }) => [...pathsOf(sortedSet(changed))].map((path) => ({ owner, path })));
}

/** Conflicts outside the allowed paths. */
export function conflictsOutside(conflicts: readonly Conflict[], allowed: FieldSet): readonly Conflict[] {
  return conflicts.filter(({ path }) => !hasPath(allowed, path));
}

export function conflictError(conflicts: readonly Conflict[]): StatusError {
  const causes: StatusCause[] = conflicts.map(({ owner, path }) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with ${describeOwner(owner)}`,
    field: describePath(path),
  }));
  return StatusError.applyConflict(messageOf(conflicts), causes);
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (first !== undefined && conflicts.length === 1)
    return `Apply failed with 1 conflict: conflict with ${describeOwner(first.owner)}: ${describePath(first.path)}`;
  const lines: string[] = [];
  let last: Owner | undefined;
  for (const { owner, path } of conflicts) {
    if (owner !== last) lines.push(`conflicts with ${describeOwner(owner)}:`);
    lines.push(`- ${describePath(path)}`);
    last = owner;
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join('\n')}`;
}

function describeOwner({ manager, subresource, operation, apiVersion }: Owner): string {
  const name = subresource === '' ? goQuote(manager) : `${goQuote(manager)} with subresource ${goQuote(subresource)}`;
  return operation === 'Update' ? `${name} using ${apiVersion}` : name;
}

/** The paths that a write takes from an owner, in the owner's version. */
interface Loss {
  readonly owner: Owner;
  /** Owned paths whose value changed. */
  readonly changed: FieldSet;
  /** Owned paths that were removed. */
  readonly removed: FieldSet;
}

/** Comparisons of two objects in the versions of their owners, computed once per version. */
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

  /** Undefined for an unknown version. */
  in(apiVersion: string): Comparison | undefined {
    if (!this.#known.has(apiVersion)) this.#known.set(apiVersion, this.#compare(apiVersion));
    return this.#known.get(apiVersion);
  }

  #compare(apiVersion: string): Comparison | undefined {
    const { filter } = this.#versions;
    const before = convertFor('failed to convert old object', this.#before, apiVersion, this.#versions);
    const after = convertFor('failed to convert new object', this.#after, apiVersion, this.#versions);
    if (before === undefined || after === undefined) return undefined;
    const { changed, removed } = compareObjects(before, after, this.#versions.mergeSchema(apiVersion));
    return { changed: filter.of(changed), removed: filter.of(removed) };
  }
}

/** The losses of each owner. `kept` leaves out owners of unknown versions. */
export function lossesOf(owners: readonly Owner[], comparison: VersionedComparison): { kept: Owner[]; losses: Loss[] } {
  const kept: Owner[] = [];
  const losses: Loss[] = [];
  for (const owner of owners) {
    const compared = comparison.in(owner.apiVersion);
    if (compared === undefined) continue;
    kept.push(owner);
    // The owner's set comes second: the cost of an intersection is linear in its second operand.
    const changed = intersection(compared.changed, owner.fields);
    const removed = isEmptySet(compared.removed) ? noFields : intersection(compared.removed, owner.fields);
    if (!isEmptySet(changed) || !isEmptySet(removed)) losses.push({ owner, changed, removed });
  }
  return { kept, losses };
}

/** Subtracts the losses; owners without fields are dropped. */
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
