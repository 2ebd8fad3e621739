import { StatusError } from '../errors/status-error.ts';
import type { JsonObject } from '../schema/type.ts';
import { parseRequirements } from './label-parser.ts';
import { compileRequirement, requirementText } from './label-requirement.ts';
import type { LabelRequirement, LabelSelector } from './selector.ts';

/** Chooses every object. */
export const everyLabel: LabelSelector = compile([]);

/** Chooses no object. */
export const noLabel: LabelSelector = {
  requirements: [],
  everything: false,
  matches: () => false,
  requiresExactMatch: () => undefined,
  toString: () => '',
};

/** From the text of a query. Fails with a StatusError (400). */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === '') return everyLabel;
  try {
    return labelSelector(parseRequirements(text));
  } catch (error) {
    throw StatusError.badRequest((error as Error).message, { cause: error });
  }
}

/** All of the requirements, which have been checked. */
export function labelSelector(requirements: readonly LabelRequirement[]): LabelSelector {
  return compile([...requirements].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)));
}

function compile(requirements: readonly LabelRequirement[]): LabelSelector {
  return {
    requirements,
    everything: requirements.length === 0,
    matches: compileMatcher(requirements),
    requiresExactMatch: (label) => exactMatch(requirements, label),
    toString: () => requirements.map(requirementText).join(','),
  };
}

function compileMatcher(requirements: readonly LabelRequirement[]): LabelSelector['matches'] {
  const matchers = requirements.map(compileRequirement);
  const [first] = matchers;
  if (first === undefined) return () => true;
  if (matchers.length === 1) return first;
  return (labels: JsonObject | undefined) => {
    for (const matches of matchers) if (!matches(labels)) return false;
    return true;
  };
}

function exactMatch(requirements: readonly LabelRequirement[], label: string): string | undefined {
  const requirement = requirements.find(({ key }) => key === label);
  if (requirement === undefined || requirement.values.length !== 1) return undefined;
  return ['=', '==', 'in'].includes(requirement.operator) ? requirement.values[0] : undefined;
}
