import { goQuote } from '@tsukube/machinery';
import type { PolicyRule } from './policy-rule.ts';

/** Rules for people, one a line: pieces that differ in their verbs are put together again. */
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

/** As Go prints a list of strings. */
export function quotedList(list: readonly string[]): string {
  return `[${list.map(goQuote).join(' ')}]`;
}
