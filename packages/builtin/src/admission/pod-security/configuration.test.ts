import type { JsonObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { podSecurityConfiguration } from './configuration.ts';

const group = 'pod-security.admission.config.k8s.io';
const parse = (fields: JsonObject, version = 'v1') =>
  podSecurityConfiguration({ apiVersion: `${group}/${version}`, kind: 'PodSecurityConfiguration', ...fields });

describe('PodSecurityConfiguration', () => {
  it('is privileged and without exemptions by default', () => {
    const privileged = { level: 'privileged', version: 'latest' };
    const nobody = new Set();
    expect(podSecurityConfiguration(undefined)).toEqual({
      defaults: { enforce: privileged, audit: privileged, warn: privileged },
      exemptions: { usernames: nobody, namespaces: nobody, runtimeClasses: nobody },
    });
  });

  it.each(['v1', 'v1beta1', 'v1alpha1'])('is read in %s', (version) => {
    const { defaults, exemptions } = parse(
      { defaults: { enforce: 'baseline', 'enforce-version': 'v1.24', audit: '' }, exemptions: { usernames: ['__proto__'] } },
      version,
    );
    expect(defaults.enforce).toEqual({ level: 'baseline', version: 'v1.24' });
    expect(defaults.audit).toEqual({ level: 'privileged', version: 'latest' });
    expect(exemptions.usernames).toEqual(new Set(['__proto__']));
  });

  // Errors of kube-apiserver, without the text before them.
  it.each<[JsonObject, string]>([
    [
      { defaults: { enforce: 'bad' } },
      'PodSecurity configuration error: enforce: must be one of privileged, baseline, restricted',
    ],
    [
      { defaults: { enforce: 'bad', 'audit-version': '1.2', warn: 'x' } },
      'PodSecurity configuration error: [enforce: must be one of privileged, baseline, restricted, audit-version: must be "latest" or "v1.x", warn: must be one of privileged, baseline, restricted]',
    ],
    [
      { exemptions: { namespaces: ['Bad_', 'a', 'a'], usernames: ['', 'u', 'u'], runtimeClasses: ['r', 'r', 'X!'] } },
      `PodSecurity invalid: [exemptions.namespaces[0]: Invalid value: "Bad_": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?'), exemptions.namespaces[2]: Duplicate value: "a", exemptions.runtimeClasses[1]: Duplicate value: "r", exemptions.runtimeClasses[2]: Invalid value: "X!": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), exemptions.usernames[0]: Invalid value: "": username must not be empty, exemptions.usernames[2]: Duplicate value: "u"]`,
    ],
    [
      { extra: 1, defaults: { enforce: 'baseline', foo: 'bar' } },
      'strict decoding error: unknown field "defaults.foo", unknown field "extra"',
    ],
    [
      { apiVersion: `${group}/v2` },
      `no kind "PodSecurityConfiguration" is registered for version "${group}/v2" in scheme "k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31"`,
    ],
    [
      { kind: 'Other' },
      `no kind "Other" is registered for version "${group}/v1" in scheme "k8s.io/pod-security-admission/admission/api/scheme/scheme.go:31"`,
    ],
    [{ kind: '' }, `Object 'Kind' is missing in '{"apiVersion":"${group}/v1","kind":""}'`],
    [
      { defaults: { enforce: 1 } },
      'json: cannot unmarshal number into Go struct field PodSecurityDefaults.defaults.enforce of type string',
    ],
    [
      { defaults: ['x'] },
      'json: cannot unmarshal array into Go struct field PodSecurityConfiguration.defaults of type v1.PodSecurityDefaults',
    ],
    [
      { exemptions: { namespaces: 'a' } },
      'json: cannot unmarshal string into Go struct field PodSecurityExemptions.exemptions.namespaces of type []string',
    ],
  ])('rejects %j', (fields, message) => {
    expect(() => parse(fields)).toThrow(new Error(message));
  });
});
