import { describe, expect, it } from 'vitest';
import { builtinTypes } from './index.ts';

describe('builtinTypes', () => {
  it.each([
    ['apps.v1.DeploymentSpec', 'replicas', 'keep'],
    ['apps.v1.DeploymentSpec', 'minReadySeconds', 'omit'],
    ['apps.v1.DeploymentSpec', 'template', 'zero'],
    ['apps.v1.DeploymentSpec', 'selector', 'null'],
    ['apps.v1.DeploymentCondition', 'lastUpdateTime', 'zero'],
    ['apps.v1.StatefulSetStatus', 'replicas', 'zero'],
    ['core.v1.PodSpec', 'containers', 'zero'],
    ['core.v1.PodSpec', 'securityContext', 'keep'],
    ['core.v1.ConfigMapKeySelector', 'name', 'omit'],
    ['core.v1.EndpointPort', 'port', 'zero'],
    ['discovery.v1.EndpointPort', 'port', 'keep'],
    ['resource.v1.CapacityRequirements', 'requests', 'omit'],
  ])('has the omitempty behaviour of %s.%s', (type, field, expected) => {
    expect(builtinTypes.get(`io.k8s.api.${type}`).fields.get(field)?.omitempty).toBe(expected);
  });

  it('has it for every field', () => {
    for (const name of builtinTypes.names())
      for (const field of builtinTypes.get(name).fields.values()) expect(field.omitempty, `${name}.${field.name}`).toBeDefined();
  });

  it('returns the same type for each call', () => {
    const name = 'io.k8s.api.core.v1.Pod';
    expect(builtinTypes.get(name)).toBe(builtinTypes.get(name));
  });
});
