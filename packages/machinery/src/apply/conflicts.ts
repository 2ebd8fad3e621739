import type { StatusCause } from '../errors/status.ts';
import { StatusError } from '../errors/status-error.ts';
import { goQuote } from '../text/go-quote.ts';
import type { Loss } from './disown.ts';
import { type FieldSet, hasPath, pathsOf, sortedSet } from './field-set.ts';
import { compareText, type Owner, ownerText } from './owners.ts';
import { describePath, type PathElement } from './path-element.ts';

/** A path that somebody else owns, with another value. */
export interface Conflict {
  readonly owner: Owner;
  readonly path: readonly PathElement[];
}

export function conflictsIn(losses: readonly Loss[]): readonly Conflict[] {
  return [...losses]
    .sort((a, b) => compareText(ownerText(a.owner), ownerText(b.owner)))
    .flatMap(({ owner, changed }) => [...pathsOf(sortedSet(changed))].map((path) => ({ owner, path })));
}

/** Those about other paths than the given ones. */
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
