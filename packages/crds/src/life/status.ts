import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '@tsukube/machinery';
import { type Condition, conditionOf, type Definition, type DefinitionNames } from '../definition/definition.ts';
import { approvalCondition } from './approval.ts';
import { conditionObjects, isEquivalent, type NewCondition, withCondition, withoutCondition } from './conditions.ts';
import { establishedCondition } from './established.ts';
import { acceptNames, type TakenNames } from './names.ts';
import { nonStructuralCondition } from './non-structural.ts';

/** What the status of a definition should be; undefined if it is that. `taken` are the names of the others of its group. */
export function wantedStatus(definition: Definition, taken: () => TakenNames, now: number): JsonObject | undefined {
  const { names, conditions } = namesAndConditions(definition, taken, now);
  const wanted = otherConditions(definition).reduce(
    (all, { type, condition }) => replaced(all, type, condition, now),
    conditions,
  );
  if (isDeepStrictEqual(wanted, definition.conditions) && isDeepStrictEqual(names, definition.acceptedNames)) return undefined;
  return { acceptedNames: namesObject(names), conditions: conditionObjects(wanted) };
}

interface NamesAndConditions {
  readonly names: DefinitionNames;
  readonly conditions: readonly Condition[];
}

function namesAndConditions(definition: Definition, taken: () => TakenNames, now: number): NamesAndConditions {
  const { acceptedNames, conditions } = definition;
  const [had, established] = [conditionOf(definition, 'NamesAccepted'), conditionOf(definition, 'Established')];
  if (isDeepStrictEqual(definition.names, acceptedNames)) {
    const wanted = establishedCondition(definition, established, had?.status === 'True');
    return { names: acceptedNames, conditions: replaced(conditions, 'Established', wanted, now) };
  }
  const { names, condition } = acceptNames(definition.names, acceptedNames, taken());
  const wanted = establishedCondition(definition, established, condition.status === 'True');
  const named = replaced(conditions, 'NamesAccepted', condition, now);
  return { names, conditions: replaced(named, 'Established', wanted, now) };
}

function otherConditions(definition: Definition): { type: Condition['type']; condition: NewCondition | undefined }[] {
  return [
    { type: 'NonStructuralSchema', condition: nonStructuralCondition(definition) },
    { type: 'KubernetesAPIApprovalPolicyConformant', condition: approvalCondition(definition) },
  ];
}

function replaced(
  conditions: readonly Condition[],
  type: Condition['type'],
  wanted: NewCondition | undefined,
  now: number,
): readonly Condition[] {
  if (!wanted) return withoutCondition(conditions, type);
  const had = conditions.find((condition) => condition.type === type);
  return isEquivalent(wanted, had) ? conditions : withCondition(conditions, wanted, now);
}

function namesObject({ plural, singular, kind, listKind, shortNames, categories }: DefinitionNames): JsonObject {
  return {
    plural,
    ...(singular !== '' && { singular }),
    ...(shortNames.length > 0 && { shortNames: [...shortNames] }),
    kind,
    ...(listKind !== '' && { listKind }),
    ...(categories.length > 0 && { categories: [...categories] }),
  };
}
