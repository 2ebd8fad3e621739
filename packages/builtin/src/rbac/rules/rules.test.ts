import { describe, expect, it } from 'vitest';
import { describeRules, uncovered } from './covers.ts';
import { type PolicyRule, policyRuleOf } from './policy-rule.ts';

const rule = (given: Partial<PolicyRule>): PolicyRule => policyRuleOf(given as never);
const pods = rule({ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods', 'pods/log'] });

describe('uncovered', () => {
  it.each<[string, PolicyRule[], PolicyRule[], string]>([
    ['none, with the same rules', [pods], [pods], ''],
    ['none, with a rule for everything', [rule({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] })], [pods], ''],
    [
      'a verb',
      [rule({ ...pods, verbs: ['get'] })],
      [rule({ ...pods, resources: ['pods'] })],
      '{APIGroups:[""], Resources:["pods"], Verbs:["list"]}',
    ],
    [
      'all, with the verbs together',
      [],
      [pods],
      '{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}\n{APIGroups:[""], Resources:["pods/log"], Verbs:["get" "list"]}',
    ],
    ['a subresource of any', [rule({ ...pods, resources: ['*/log'] })], [rule({ ...pods, resources: ['pods/log'] })], ''],
    [
      'objects that are not named',
      [rule({ ...pods, resourceNames: ['a'] })],
      [rule({ ...pods, resources: ['pods'], verbs: ['get'] })],
      '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    ],
    [
      'other names',
      [rule({ ...pods, resourceNames: ['a'] })],
      [rule({ ...pods, resources: ['pods'], verbs: ['get'], resourceNames: ['a', 'b'] })],
      '{APIGroups:[""], Resources:["pods"], ResourceNames:["b"], Verbs:["get"]}',
    ],
    [
      'nothing below a path',
      [rule({ verbs: ['get'], nonResourceURLs: ['/a/*'] })],
      [rule({ verbs: ['get'], nonResourceURLs: ['/a/b*'] })],
      '',
    ],
    [
      'a path',
      [rule({ verbs: ['get'], nonResourceURLs: ['/a/*'] })],
      [rule({ verbs: ['get'], nonResourceURLs: ['/b'] })],
      '{NonResourceURLs:["/b"], Verbs:["get"]}',
    ],
  ])('%s', (_title, owner, wanted, text) => {
    expect(describeRules(uncovered(owner, wanted))).toBe(text);
  });
});
