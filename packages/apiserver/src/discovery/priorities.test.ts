import { describe, expect, it } from 'vitest';
import { compareGroups, compareVersions, compareVersionsOf, priorityOf } from './priorities.ts';

describe('priorities', () => {
  it('orders groups as Kubernetes does, and others after them by name', () => {
    const groups = [
      'zoo.example.com',
      'batch',
      'admissionregistration.k8s.io',
      'apps',
      'example.com',
      'apiregistration.k8s.io',
      'apiextensions.k8s.io',
    ];
    expect(groups.sort(compareGroups)).toEqual([
      'apiregistration.k8s.io',
      'apps',
      'batch',
      'admissionregistration.k8s.io',
      'apiextensions.k8s.io',
      'example.com',
      'zoo.example.com',
    ]);
  });

  it('ranks versions of known groups by their priority', () => {
    expect(['v1', 'v2beta2', 'v2', 'v2beta1'].sort(compareVersionsOf('autoscaling'))).toEqual(['v2', 'v1', 'v2beta1', 'v2beta2']);
  });

  it('ranks other versions by stability and number', () => {
    const versions = ['foo1', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo10', 'v3beta10', 'v10', 'v2', 'v1', 'v11beta2'];
    expect(versions.sort(compareVersions)).toEqual([
      'v10',
      'v2',
      'v1',
      'v11beta2',
      'v3beta10',
      'v3beta1',
      'v12alpha1',
      'v11alpha2',
      'foo1',
      'foo10',
    ]);
  });

  it('gives the priorities of an APIService', () => {
    expect(priorityOf('apps', 'v1')).toEqual({ group: 17800, version: 15 });
    expect(priorityOf('example.com', 'v1')).toEqual({ group: 1000, version: 100 });
  });
});
