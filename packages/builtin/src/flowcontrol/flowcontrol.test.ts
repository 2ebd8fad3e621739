import { FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { flowSchema } from './flow-schema.ts';
import { priorityLevelConfiguration } from './priority-level-configuration.ts';

function fieldsWrong(resource: typeof flowSchema, spec: JsonObject, name = 'x'): readonly string[] {
  const object: JsonObject = { metadata: { name }, spec: structuredClone(spec) };
  resource.strategy.applyDefaults?.(object as KubeObject);
  const errors = new FieldErrors();
  resource.strategy.validateCreate?.(object as KubeObject, errors, resource.hub);
  return errors.list.map(({ field }) => field);
}

const queue = (queuing: JsonObject) => ({ type: 'Limited', limited: { limitResponse: { type: 'Queue', queuing } } });
const queuing = 'spec.limited.limitResponse.queuing';

describe('priority levels', () => {
  it.each<[string, JsonObject, string[]]>([
    ['with defaults', queue({}), []],
    ['of no type', {}, ['spec.type']],
    ['without limits', { type: 'Limited' }, ['spec.limited']],
    ['with a larger hand than queues', queue({ queues: 3, handSize: 4 }), [`${queuing}.handSize`]],
    ['with more hands than a 60-bit hash can distinguish', queue({ queues: 1_000_000, handSize: 5 }), [`${queuing}.handSize`]],
    ['that are exempt by another name', { type: 'Exempt' }, ['spec.type']],
  ])('%s', (_title, spec, fields) => expect(fieldsWrong(priorityLevelConfiguration, spec)).toEqual(fields));
});

describe('flow schemas', () => {
  const level = { priorityLevelConfiguration: { name: 'a' } };
  const rules = (rule: JsonObject) => ({ ...level, rules: [{ subjects: [{ kind: 'User', user: { name: '*' } }], ...rule }] });
  it.each<[string, JsonObject, string[]]>([
    ['without rules', level, []],
    ['before all others', { ...level, matchingPrecedence: 1 }, ['spec.matchingPrecedence']],
    ['of no requests', rules({}), ['spec.rules[0]']],
    ['of paths', rules({ nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/a/*', '/'] }] }), []],
    [
      'of stars inside paths',
      rules({ nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/a*'] }] }),
      ['spec.rules[0].nonResourceRules[0].nonResourceURLs[0]'],
    ],
  ])('%s', (_title, spec, fields) => expect(fieldsWrong(flowSchema, spec)).toEqual(fields));
});

it('rejects changes to mandatory objects', () => {
  const limited = { nominalConcurrencyShares: 5, limitResponse: { type: 'Reject' } };
  expect(fieldsWrong(priorityLevelConfiguration, { type: 'Limited', limited }, 'catch-all')).toEqual([]);
  const other = { ...limited, nominalConcurrencyShares: 6 };
  expect(fieldsWrong(priorityLevelConfiguration, { type: 'Limited', limited: other }, 'catch-all')).toEqual(['spec']);
  expect(fieldsWrong(priorityLevelConfiguration, { type: 'Exempt', exempt: { lendablePercent: 50 } }, 'exempt')).toEqual([]);
});
