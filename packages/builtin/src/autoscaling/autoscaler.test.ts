import { FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';

const { applyDefaults, validateCreate } = horizontalPodAutoscaler.strategy;

function created(spec: JsonObject): JsonObject {
  const object: JsonObject = {
    metadata: { name: 'a', namespace: 'n' },
    spec: { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3, ...spec },
  };
  applyDefaults?.(object as KubeObject);
  return object;
}

function problems(spec: JsonObject): string[] {
  const errors = new FieldErrors();
  validateCreate?.(created(spec) as KubeObject, errors, horizontalPodAutoscaler.hub);
  return errors.list.map(({ field, body }) => `${field}: ${body}`);
}

const metric = (value: JsonObject): JsonObject => ({ metrics: [value] });

describe('defaults', () => {
  it('have a CPU utilization metric', () => {
    expect(created({}).spec).toMatchObject({
      minReplicas: 1,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
    });
  });

  it('complete both directions of a behavior', () => {
    const { behavior } = created({ behavior: { scaleUp: { selectPolicy: 'Min' } } }).spec as { behavior: JsonObject };
    expect(behavior.scaleUp).toMatchObject({ selectPolicy: 'Min', stabilizationWindowSeconds: 0 });
    expect(behavior.scaleDown).toEqual({
      selectPolicy: 'Max',
      policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
    });
  });
});

describe('validation', () => {
  it.each<[JsonObject, string[]]>([
    [{}, []],
    [
      { maxReplicas: 0 },
      [
        'spec.maxReplicas: Required value: must be set and greater than 0',
        'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
      ],
    ],
    [
      { scaleTargetRef: { kind: 'Foo', name: 'x' } },
      ['spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group'],
    ],
    [{ scaleTargetRef: { kind: 'ReplicationController', name: 'x' } }, []],
    [
      { minReplicas: 0 },
      [
        'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
        'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
      ],
    ],
    [metric({ type: 'Pods' }), ['spec.metrics[0].pods: Required value: must populate information for the given metric source']],
    [
      metric({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }),
      [
        'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      ],
    ],
    [
      { behavior: { scaleDown: { policies: [] } } },
      ['spec.behavior.scaleDown.policies: Required value: must specify at least one Policy'],
    ],
  ])('%j', (spec, expected) => {
    expect(problems(spec)).toEqual(expected);
  });
});
