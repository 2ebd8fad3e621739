import { parseResourceList } from '@tsukube/builtin';
import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { isComplete, reconciledStatus } from './status.ts';

type Amounts = Record<string, string>;

const quota = (hard: Amounts, used: Amounts | undefined, limits: Amounts = hard): JsonObject => ({
  spec: { hard },
  status: used ? { hard: limits, used } : {},
});

describe('the usage of a quota after a count', () => {
  // count, charged now, charged some time before the count
  it.each<[string, string, string | undefined, string | undefined, string, boolean]>([
    ['is the count of a new quota', '3', undefined, undefined, '3', true],
    ['is raised at once', '5', '3', undefined, '5', true],
    ['is not lowered without a baseline', '3', '5', undefined, '5', false],
    ['is lowered to the count', '3', '5', '5', '3', true],
    ['keeps charges since the baseline', '3', '5', '4', '4', false],
    ['is at most the charged usage', '4', '5', '1', '5', false],
    ['ignores usage that another controller has released', '3', '5', '9', '3', true],
  ])('%s', (_, count, charged, baseline, expected, isSettled) => {
    const given = quota({ pods: '9' }, charged === undefined ? undefined : { pods: charged });
    const before = baseline === undefined ? undefined : parseResourceList({ pods: baseline });
    const reconciled = reconciledStatus(given, parseResourceList({ pods: count }), before);
    expect(reconciled).toEqual({ status: { hard: { pods: '9' }, used: { pods: expected } }, isSettled });
  });

  it('has the names of the spec; those that cannot be counted keep their usage', () => {
    const given = quota({ pods: '1', secrets: '2', 'count/a.example.com': '3' }, { secrets: '1', configmaps: '4' });
    const { status } = reconciledStatus(given, parseResourceList({ pods: '1' }), undefined);
    expect(status).toEqual({
      hard: { pods: '1', secrets: '2', 'count/a.example.com': '3' },
      used: { pods: '1', secrets: '1' },
    });
  });
});

it.each<[string, JsonObject, boolean]>([
  ['without status', quota({ pods: '1' }, undefined), false],
  ['with other limits', quota({ pods: '1' }, { pods: '0' }, { pods: '2' }), false],
  ['without usage', quota({ pods: '1' }, {}), false],
  ['with usage', quota({ pods: '1' }, { pods: '0' }), true],
])('a quota %s is complete: %s', (_, given, expected) => {
  expect(isComplete(given)).toBe(expected);
});
