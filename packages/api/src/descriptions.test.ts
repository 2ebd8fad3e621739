import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it, describe as suite } from 'vitest';
import { describe, describeColumn } from './descriptions.ts';

beforeAll(() => {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../../scripts/build-descriptions.mjs', import.meta.url))]);
});

suite('describe', () => {
  it.each([
    ['io.k8s.api.core.v1.ConfigMap', undefined, /^ConfigMap holds configuration data/],
    ['io.k8s.api.core.v1.ConfigMap', 'data', /^Data contains the configuration data\..*validation process\.$/],
    ['io.k8s.api.core.v1.ConfigMap', 'metadata', /^Standard object's metadata\./],
    ['io.k8s.api.core.v1.ConfigMap', 'kind', /^Kind is a string value/],
    ['io.k8s.api.core.v1.ObjectReference', 'kind', /^Kind of the referent\./],
    ['io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService', undefined, /^APIService represents a server/],
    ['io.k8s.apimachinery.pkg.apis.meta.v1.Time', undefined, /^Time is a wrapper/],
    ['io.k8s.api.rbac.v1.PolicyRule', 'verbs', /'\*' represents all verbs\.$/],
  ])('has %s %s', (type, field, expected) => {
    expect(describe(type, field)).toMatch(expected);
  });

  it('keeps paragraphs', () => {
    expect(describe('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta', 'namespace')).toContain('\n\n');
  });

  it('is empty for unknown types and fields', () => {
    expect(describe('com.example.Thing')).toBe('');
    expect(describe('io.k8s.api.core.v1.ConfigMap', 'nothing')).toBe('');
  });
});

suite('describeColumn', () => {
  it('omits the list of enum values', () => {
    const field = ['io.k8s.api.core.v1.PersistentVolumeClaimStatus', 'phase'] as const;
    expect(describe(...field)).toContain('Possible enum values');
    expect(describeColumn(...field)).toBe('phase represents the current phase of PersistentVolumeClaim.');
  });
});
