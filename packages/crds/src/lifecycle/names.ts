import { aggregateMessage, goQuote } from '@tsukube/machinery';
import type { DefinitionNames } from '../definition/definition.ts';
import type { NewCondition } from './conditions.ts';

/** Names accepted for other definitions of the group. */
export interface TakenNames {
  readonly resources: ReadonlySet<string>;
  readonly kinds: ReadonlySet<string>;
}

export interface AcceptedNames {
  readonly names: DefinitionNames;
  readonly condition: NewCondition;
}

export function takenNames(accepted: Iterable<DefinitionNames>): TakenNames {
  const [resources, kinds] = [new Set<string>(), new Set<string>()];
  for (const { plural, singular, shortNames, kind, listKind } of accepted) {
    for (const name of [plural, singular, ...shortNames]) resources.add(name);
    for (const name of [kind, listKind]) kinds.add(name);
  }
  return { resources, kinds };
}

/** Accepts each requested name that is free and keeps the old one otherwise. The condition reports the last conflict. */
export function acceptNames(requested: DefinitionNames, old: DefinitionNames, { resources, kinds }: TakenNames): AcceptedNames {
  let conflict: { reason: string; message: string } | undefined;
  const accept = (field: 'plural' | 'singular' | 'kind' | 'listKind', taken: ReadonlySet<string>): string => {
    const name = requested[field];
    if (name === old[field] || !taken.has(name)) return name;
    conflict = { reason: `${field.charAt(0).toUpperCase()}${field.slice(1)}Conflict`, message: inUse(name) };
    return old[field];
  };
  const plural = accept('plural', resources);
  const singular = accept('singular', resources);
  const kept = new Set(old.shortNames);
  const clashes = requested.shortNames.filter((name) => !kept.has(name) && resources.has(name));
  if (clashes.length > 0) conflict = { reason: 'ShortNamesConflict', message: aggregateMessage(clashes.map(inUse)) };
  const shortNames = clashes.length > 0 ? old.shortNames : requested.shortNames;
  const kind = accept('kind', kinds);
  const listKind = accept('listKind', kinds);
  return {
    names: { plural, singular, shortNames, kind, listKind, categories: requested.categories },
    condition: conditionFor(conflict),
  };
}

function conditionFor(conflict: { reason: string; message: string } | undefined): NewCondition {
  const type = 'NamesAccepted';
  return conflict
    ? { type, status: 'False', ...conflict }
    : { type, status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
}

function inUse(name: string): string {
  return `${goQuote(name)} is already in use`;
}
