import { deepCopy, FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { job } from './job.ts';

const { applyDefaults, prepareForCreate, validateCreate, validateUpdate } = job.strategy;

function created(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  const object: JsonObject = {
    kind: 'Job',
    apiVersion: 'batch/v1',
    metadata: { name: 'j', namespace: 'n', uid: 'u', ...metadata },
    spec: { template: { metadata: {}, spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } }, ...spec },
  };
  applyDefaults?.(object as KubeObject);
  prepareForCreate?.(object as KubeObject, { name: 'u', groups: [] }, job.hub);
  return object;
}

const specOf = (object: JsonObject) => object.spec as JsonObject;

function problems(check: (errors: FieldErrors) => void): string[] {
  const errors = new FieldErrors();
  check(errors);
  return [...new Set(errors.list.map(({ field, body }) => `${field}: ${body}`))];
}

const createProblems = (object: JsonObject) => problems((errors) => validateCreate?.(object as KubeObject, errors, job.hub));

describe('a new job', () => {
  it('selects its own pods', () => {
    const { selector, template } = specOf(created({})) as { selector: JsonObject; template: JsonObject };
    expect(selector).toEqual({ matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } });
    expect((template.metadata as JsonObject).labels).toEqual({
      'batch.kubernetes.io/controller-uid': 'u',
      'batch.kubernetes.io/job-name': 'j',
      'controller-uid': 'u',
      'job-name': 'j',
    });
  });

  it.each<[JsonObject, JsonObject]>([
    [{}, { completions: 1, parallelism: 1, backoffLimit: 6, completionMode: 'NonIndexed', suspend: false }],
    [{ completions: 3 }, { completions: 3, parallelism: 1 }],
    [{ backoffLimitPerIndex: 1 }, { backoffLimit: 2147483647 }],
    [{ podFailurePolicy: { rules: [] } }, { podReplacementPolicy: 'Failed' }],
  ])('%j gets %j', (spec, expected) => {
    expect(specOf(created(spec))).toMatchObject(expected);
  });

  it('leaves completions of a work queue unset', () => {
    expect(specOf(created({ parallelism: 3 })).completions).toBeUndefined();
  });

  it.each<[JsonObject, string]>([
    [{ manualSelector: true }, 'spec.selector: Required value'],
    [{ completionMode: 'Foo' }, 'spec.completionMode: Unsupported value: "Foo": supported values: "NonIndexed", "Indexed"'],
    [{ backoffLimitPerIndex: 1 }, 'spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode'],
    [{ managedBy: 'me' }, 'spec.managedBy: Invalid value: "me": must be a domain-prefixed path (such as "acme.io/foo")'],
    [
      { podFailurePolicy: { rules: [{ action: 'Count' }] } },
      'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
    ],
    [
      { successPolicy: { rules: [{ succeededCount: 1 }] } },
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
    ],
  ])('%j is rejected', (spec, problem) => {
    expect(createProblems(created(spec))).toContain(problem);
  });
});

describe('an updated job', () => {
  const change = (object: JsonObject, edit: (spec: JsonObject, podSpec: JsonObject) => void) => {
    const changed = deepCopy(object) as JsonObject;
    edit(specOf(changed), (specOf(changed).template as JsonObject).spec as JsonObject);
    return problems((errors) => validateUpdate?.(changed as KubeObject, object as KubeObject, errors, job.hub));
  };
  const nodeSelector = (_spec: JsonObject, podSpec: JsonObject) => {
    podSpec.nodeSelector = { disk: 'ssd' };
  };

  it('has an immutable template while it runs', () => {
    expect(change(created({}), nodeSelector)).toHaveLength(1);
  });

  it('may change scheduling directives while it is suspended', () => {
    expect(change(created({ suspend: true }), nodeSelector)).toEqual([]);
  });

  it('has immutable containers even while suspended', () => {
    const edit = (_spec: JsonObject, podSpec: JsonObject) => {
      podSpec.hostNetwork = true;
    };
    expect(change(created({ suspend: true }), edit)).toHaveLength(1);
  });

  it('may change completions only together with parallelism', () => {
    const indexed = created({ completionMode: 'Indexed', completions: 2, parallelism: 2 });
    const alone = (spec: JsonObject) => {
      spec.completions = 3;
    };
    const together = (spec: JsonObject) => {
      spec.completions = 3;
      spec.parallelism = 3;
    };
    expect(change(indexed, alone)).toEqual([
      'spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism',
    ]);
    expect(change(indexed, together)).toEqual([]);
  });
});

describe('the status of a job', () => {
  const status = job.subresources?.status?.strategy;
  const times = { startTime: '2024-01-01T00:00:00Z', completionTime: '2024-01-01T01:00:00Z' };
  const is = (...types: string[]) => types.map((type) => ({ type, status: 'True' }));
  const change = (from: JsonObject, to: JsonObject) => {
    const object = created({});
    return problems((errors) =>
      status?.validateUpdate?.(
        { ...object, status: to } as JsonObject as KubeObject,
        { ...object, status: from } as JsonObject as KubeObject,
        errors,
        job.hub,
      ),
    );
  };

  it.each<[JsonObject, JsonObject, string[]]>([
    [{}, { ...times, conditions: is('SuccessCriteriaMet', 'Complete') }, []],
    [
      {},
      { startTime: times.startTime, conditions: is('SuccessCriteriaMet', 'Complete') },
      ['status.completionTime: Required value: completionTime is required for Complete jobs'],
    ],
    [
      {},
      { ...times, conditions: is('Complete') },
      ['status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition'],
    ],
    [{ failed: 2 }, { failed: 1 }, ['status.failed: Invalid value: 1: cannot decrease the failed counter']],
    [
      { startTime: times.startTime, conditions: is('FailureTarget') },
      { startTime: times.startTime },
      ['status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition'],
    ],
    [{}, { active: 1, ready: 2 }, ['status.ready: Invalid value: 2: cannot set more ready pods than active']],
  ])('%j → %j', (from, to, expected) => {
    expect(change(from, to)).toEqual(expected);
  });
});
