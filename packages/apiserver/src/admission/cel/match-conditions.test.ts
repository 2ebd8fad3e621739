import { describe, expect, it } from 'vitest';
import { alwaysAllow } from '../../authorization/union.ts';
import { unobserved } from '../../registry/admission.ts';
import { admissionAttributes } from '../../registry/admission-attributes.ts';
import { configMaps } from '../../registry/sample-resources.ts';
import type { VersionedAttributes } from '../versioned-attributes.ts';
import { RequestAuthorizer } from './authorizer.ts';
import { matchConditionMetrics } from './match-condition-metrics.ts';
import { compileMatchConditions } from './match-conditions.ts';

const user = { name: 'ann', groups: ['dev'] };
const metrics = matchConditionMetrics(unobserved)({ name: 'test', kind: 'webhook', type: 'admit' });

function request(): VersionedAttributes {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'ns' }, data: { a: '1' } };
  const attributes = admissionAttributes(
    'CREATE',
    configMaps,
    { name: 'x', object, oldObject: undefined },
    {
      version: configMaps.hub,
      user,
      namespace: 'ns',
      subresource: '',
      strategy: {},
      dryRun: false,
      fieldManager: null,
      warn: () => {},
      isOver: () => false,
    },
  );
  const kind = { group: '', version: 'v1', kind: 'ConfigMap' };
  return { attributes, version: configMaps.hub, kind, object, oldObject: undefined };
}

function matchResult(expressions: readonly string[], failurePolicy = 'Fail', authorizer = alwaysAllow) {
  const conditions = expressions.map((expression, i) => ({ name: `c${i}`, expression }));
  const compiled = compileMatchConditions(conditions, { failurePolicy, metrics });
  return compiled.evaluate(request(), { authorizer: new RequestAuthorizer(authorizer, user) });
}

describe('match conditions', () => {
  it.each([
    [[], { matches: true }],
    [["object.data.a == '1'", "request.userInfo.username == 'ann'"], { matches: true }],
    [["request.operation == 'CREATE' && request.kind.kind == 'ConfigMap'"], { matches: true }],
    [['oldObject == null && namespaceObject == null'], { matches: true }],
    [["authorizer.requestResource.check('get').allowed()"], { matches: true }],
    [['true', 'false'], { matches: false, condition: 'c1' }],
    [['object.nope', 'false'], { matches: false, condition: 'c1' }],
    [['object.spec.x == 1', 'true'], { error: "expression 'object.spec.x == 1' resulted in error: no such key: spec" }],
    [["'x'"], { error: 'compilation error: must evaluate to bool but got string' }],
    [
      ['has(object.a.b)', 'object.c == 1'],
      {
        error:
          "[expression 'has(object.a.b)' resulted in error: no such key: a, expression 'object.c == 1' resulted in error: no such key: c]",
      },
    ],
  ])('%j', async (expressions, expected) => {
    expect(await matchResult(expressions)).toEqual(expected);
  });

  it('treats errors as no match if failures are ignored', async () => {
    expect(await matchResult(['object.spec.x == 1'], 'Ignore')).toEqual({ matches: false });
  });

  it('waits for an authorizer', async () => {
    let calls = 0;
    const slow = {
      ...alwaysAllow,
      authorize: async () => ({ decision: calls++ === 0 ? 'allow' : 'deny', reason: 'r' }) as const,
    };
    const check = "authorizer.path('/x').check('get')";
    const result = matchResult([`${check}.allowed() && ${check}.reason() == 'r'`], 'Fail', slow);
    expect(result).toBeInstanceOf(Promise);
    expect(await result).toEqual({ matches: true });
    expect(calls).toBe(1);
  });

  it('stops at the cost budget', async () => {
    const heavy = [...'abcd'].reduce(
      (inner, name) => `[1,2,3,4,5,6,7,8,9].all(${name}, ${inner})`,
      '[1,2,3,4,5,6,7,8].all(e, true)',
    );
    const result = await matchResult(Array.from({ length: 64 }, () => heavy));
    expect(result).toEqual({
      error: 'validation failed due to running out of cost budget, no further validation rules will be run',
    });
  });
});
