import type { PolicyRule } from '../rules/policy-rule.ts';

/**
 * Rules in short notation: `verbs | groups | resources`, optionally `| names`, and `verbs | paths` for non-resource URLs. The
 * core group is `core`; `read` and `write` stand for several verbs.
 */
export type RuleLines = readonly string[];

const verbSets: Readonly<Record<string, readonly string[]>> = {
  read: ['get', 'list', 'watch'],
  write: ['create', 'delete', 'deletecollection', 'patch', 'update'],
};

export function rulesOfLines(lines: RuleLines): readonly PolicyRule[] {
  return lines.map(ruleOfLine);
}

function ruleOfLine(line: string): PolicyRule {
  const [verbs = [], second = [], resources, resourceNames = []] = line.split(' | ').map((part) => part.split(' '));
  const all = verbs.flatMap((verb) => verbSets[verb] ?? [verb]).sort();
  if (!resources) return { verbs: all, apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: second };
  const apiGroups = second.map((group) => (group === 'core' ? '' : group));
  return { verbs: all, apiGroups, resources, resourceNames, nonResourceURLs: [] };
}
