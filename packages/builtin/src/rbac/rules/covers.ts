import { goQuote, trimRight } from '@tsukube/machinery';
import type { PolicyRule } from './policy-rule.ts';

const nothing: PolicyRule = { verbs: [], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };

/** The subrules (one verb, one resource, one name) of `rules` that the rules of the owner do not cover. */
export function uncovered(owner: readonly PolicyRule[], rules: readonly PolicyRule[]): readonly PolicyRule[] {
  return rules.flatMap(pieces).filter((piece) => !owner.some((rule) => covers(rule, piece)));
}

/** The number of subrules: the product of the lengths of the lists. */
export function countSubrules(rules: readonly PolicyRule[]): number {
  return rules.reduce((sum, { verbs, apiGroups, resources, resourceNames, nonResourceURLs }) => {
    const ofResources = apiGroups.length * resources.length * Math.max(1, resourceNames.length);
    return sum + verbs.length * (ofResources + nonResourceURLs.length);
  }, 0);
}

function pieces(rule: PolicyRule): PolicyRule[] {
  const names = rule.resourceNames.length > 0 ? rule.resourceNames.map((name) => [name]) : [[]];
  const found: PolicyRule[] = [];
  for (const group of rule.apiGroups) {
    for (const resource of rule.resources) {
      for (const verb of rule.verbs) {
        for (const resourceNames of names)
          found.push({ ...nothing, apiGroups: [group], resources: [resource], verbs: [verb], resourceNames });
      }
    }
  }
  for (const path of rule.nonResourceURLs) {
    for (const verb of rule.verbs) found.push({ ...nothing, nonResourceURLs: [path], verbs: [verb] });
  }
  return found;
}

function covers(owner: PolicyRule, piece: PolicyRule): boolean {
  return (
    hasAll(owner.verbs, piece.verbs) &&
    hasAll(owner.apiGroups, piece.apiGroups) &&
    piece.resources.every((resource) => coversResource(owner.resources, resource)) &&
    coversNames(owner.resourceNames, piece.resourceNames) &&
    piece.nonResourceURLs.every((path) => owner.nonResourceURLs.some((own) => coversPath(own, path)))
  );
}

function hasAll(owner: readonly string[], texts: readonly string[]): boolean {
  return owner.includes('*') || texts.every((text) => owner.includes(text));
}

function coversResource(owner: readonly string[], resource: string): boolean {
  if (owner.includes('*') || owner.includes(resource)) return true;
  const slash = resource.indexOf('/');
  return slash >= 0 && owner.includes(`*${resource.slice(slash)}`);
}

function coversNames(owner: readonly string[], names: readonly string[]): boolean {
  return owner.length === 0 || (names.length > 0 && names.every((name) => owner.includes(name)));
}

function coversPath(owner: string, path: string): boolean {
  return owner === path || (owner.endsWith('*') && path.startsWith(trimRight(owner, '*')));
}

/** Formats subrules for messages, one per line; subrules that differ only in verbs are combined. */
export function describeRules(pieces: readonly PolicyRule[]): string {
  const lines = joinVerbs(pieces).map(describeRule);
  return [...new Set(lines)].sort().join('\n');
}

function joinVerbs(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const joined = new Map<string, PolicyRule>();
  for (const rule of rules) {
    const { verbs, ...subject } = rule;
    const key = isSimple(rule) ? JSON.stringify(subject) : JSON.stringify(rule);
    const known = isSimple(rule) ? joined.get(key) : undefined;
    joined.set(key, known ? { ...known, verbs: [...known.verbs, ...verbs] } : rule);
  }
  return [...joined.values()];
}

function isSimple({ apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): boolean {
  return apiGroups.length === 1 && resources.length === 1 && resourceNames.length <= 1 && nonResourceURLs.length === 0;
}

function describeRule(rule: PolicyRule): string {
  const parts: [string, readonly string[]][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const said = parts.filter(([, list]) => list.length > 0);
  return `{${said.map(([title, list]) => `${title}:${quotedList(list)}`).join(', ')}}`;
}

/** A list of strings as Go prints it. */
export function quotedList(list: readonly string[]): string {
  return `[${list.map(goQuote).join(' ')}]`;
}
