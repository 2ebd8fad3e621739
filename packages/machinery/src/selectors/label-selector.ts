import { StatusError } from '../errors/status-error.ts';
import type { JsonObject } from '../json/value.ts';
import { parseRequirements } from './label-parser.ts';
import { compileRequirement, requirementText } from './label-requirement.ts';
import type { LabelRequirement, LabelSelector } from './selector.ts';

type Matcher = LabelSelector['matches'];

/** Up to this many requirements are checked sequentially; more are indexed. */
const fewRequirements = 4;

/** Matches every object. */
export const everyLabel: LabelSelector = compile([]);

/** Matches no object. */
export const noLabel: LabelSelector = {
  requirements: [],
  everything: false,
  matches: () => false,
  requiresExactMatch: () => undefined,
  toString: () => '',
};

/** Parses the labelSelector of a query. Throws StatusError (400). */
export function parseLabelSelector(text: string): LabelSelector {
  if (text === '') return everyLabel;
  try {
    return labelSelector(parseRequirements(text));
  } catch (error) {
    throw StatusError.badRequest((error as Error).message, { cause: error });
  }
}

/** A selector for validated requirements, all of which must match. */
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
  if (matchers.length > fewRequirements) return indexedMatcher(requirements);
  return (labels: JsonObject | undefined) => {
    for (const matches of matchers) if (!matches(labels)) return false;
    return true;
  };
}

/**
 * Linear in the labels of the object, not in the requirements: requirements that need a label fail at the first one absent, and
 * of the others only those for present labels can fail.
 */
function indexedMatcher(requirements: readonly LabelRequirement[]): LabelSelector['matches'] {
  const needed = new Map<string, Matcher>();
  const refused = new Map<string, Matcher>();
  for (const [key, ofKey] of byKey(requirements)) {
    const combined = combine(key, ofKey);
    (ofKey.some(needsLabel) ? needed : refused).set(key, combined);
  }
  return (labels: JsonObject | undefined) => {
    for (const matches of needed.values()) if (!matches(labels)) return false;
    for (const key in labels) if (refused.get(key)?.(labels) === false) return false;
    return true;
  };
}

function byKey(requirements: readonly LabelRequirement[]): ReadonlyMap<string, readonly LabelRequirement[]> {
  const keys = new Map<string, LabelRequirement[]>();
  for (const requirement of requirements) {
    const ofKey = keys.get(requirement.key);
    if (ofKey === undefined) keys.set(requirement.key, [requirement]);
    else ofKey.push(requirement);
  }
  return keys;
}

function needsLabel(requirement: LabelRequirement): boolean {
  return requirement.operator !== '!' && !excludesValues(requirement);
}

function excludesValues({ operator }: LabelRequirement): boolean {
  return operator === '!=' || operator === 'notin';
}

/** Combines all requirements for one label. Excluded values become one set, and duplicates are dropped. */
function combine(key: string, requirements: readonly LabelRequirement[]): Matcher {
  const excluding = requirements.filter(excludesValues);
  const others = new Map(requirements.filter((one) => !excludesValues(one)).map((one) => [requirementText(one), one]));
  const values = new Set(excluding.flatMap((one) => one.values));
  const matchers = [...others.values()].map(compileRequirement);
  if (values.size > 0) matchers.push(compileRequirement({ key, operator: 'notin', values: [...values] }));
  return (labels) => {
    for (const matches of matchers) if (!matches(labels)) return false;
    return true;
  };
}

function exactMatch(requirements: readonly LabelRequirement[], label: string): string | undefined {
  const requirement = requirements.find(({ key }) => key === label);
  if (requirement === undefined || requirement.values.length !== 1) return undefined;
  return ['=', '==', 'in'].includes(requirement.operator) ? requirement.values[0] : undefined;
}
