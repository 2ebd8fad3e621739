import { isDeepStrictEqual } from 'node:util';
import { asServer, type ObjectRegistry, settleRaces, updateExisting } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { type Condition, conditionOf, type Definition, type DefinitionNames } from '../definition/definition.ts';
import {
  approvalCondition,
  conditionObjects,
  establishedCondition,
  isEquivalent,
  type NewCondition,
  nonStructuralCondition,
  withCondition,
  withoutCondition,
} from './conditions.ts';
import { acceptNames, type TakenNames } from './names.ts';

/** The changed part of the status; undefined if the status is up to date. `taken` are the names of the other definitions of the group. */
export function statusUpdate(definition: Definition, taken: () => TakenNames, now: number): JsonObject | undefined {
  const { names, conditions } = namesAndConditions(definition, taken, now);
  const desired = otherConditions(definition).reduce(
    (all, { type, condition }) => replaced(all, type, condition, now),
    conditions,
  );
  if (isDeepStrictEqual(desired, definition.conditions) && isDeepStrictEqual(names, definition.acceptedNames)) return undefined;
  return { acceptedNames: namesObject(names), conditions: conditionObjects(desired) };
}

interface NamesAndConditions {
  readonly names: DefinitionNames;
  readonly conditions: readonly Condition[];
}

function namesAndConditions(definition: Definition, taken: () => TakenNames, now: number): NamesAndConditions {
  const { acceptedNames, conditions } = definition;
  const [accepted, established] = [conditionOf(definition, 'NamesAccepted'), conditionOf(definition, 'Established')];
  if (isDeepStrictEqual(definition.names, acceptedNames)) {
    const desired = establishedCondition(definition, established, accepted?.status === 'True');
    return { names: acceptedNames, conditions: replaced(conditions, 'Established', desired, now) };
  }
  const { names, condition } = acceptNames(definition.names, acceptedNames, taken());
  const desired = establishedCondition(definition, established, condition.status === 'True');
  const named = replaced(conditions, 'NamesAccepted', condition, now);
  return { names, conditions: replaced(named, 'Established', desired, now) };
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
  desired: NewCondition | undefined,
  now: number,
): readonly Condition[] {
  if (!desired) return withoutCondition(conditions, type);
  const old = conditions.find((condition) => condition.type === type);
  return isEquivalent(desired, old) ? conditions : withCondition(conditions, desired, now);
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

/** Updates the status with `change`, which returns undefined to leave it. Does nothing if the object is gone. */
export async function updateStatus(
  registry: ObjectRegistry,
  name: string,
  change: (object: JsonObject) => JsonObject | undefined,
): Promise<void> {
  const context = asServer(registry, '', 'status');
  const changed = (existing: JsonObject) => change(existing) ?? existing;
  await settleRaces(() => updateExisting(registry, name, undefined, changed, context));
}
