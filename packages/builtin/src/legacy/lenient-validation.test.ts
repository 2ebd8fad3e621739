import type { Resource, ServedVersion } from '@tsukube/apiserver';
import { FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { admissionRegistrationResources } from '../admissionregistration/index.ts';
import { certificatesResources } from '../certificates/certificate-signing-request.ts';
import { event } from '../core/event.ts';
import { legacyVersions, withLegacyVersions } from './index.ts';

const resources = withLegacyVersions([...admissionRegistrationResources, ...certificatesResources, event(3600)]);

function find(plural: string, version: string): { resource: Resource; served: ServedVersion } {
  const resource = resources.find(({ names }) => names.plural === plural) as Resource;
  const served = resource.versions.find((each) => `${each.group}/${each.version}` === version) as ServedVersion;
  return { resource, served };
}

function complaints(plural: string, version: string, object: JsonObject): readonly string[] {
  const { resource, served } = find(plural, version);
  const hub = served.converter?.toHub(object) ?? object;
  resource.strategy.applyDefaults?.(hub as KubeObject);
  const errors = new FieldErrors();
  resource.strategy.validateCreate?.(hub as KubeObject, errors, served);
  return errors.list.map(({ field, body }) => `${field}: ${body}`);
}

const hook = { name: 'a.b.c', clientConfig: { url: 'https://a/b' }, admissionReviewVersions: ['v1'] };
const webhooks = 'validatingwebhookconfigurations';
const registration = 'admissionregistration.k8s.io';

describe('a removed version', () => {
  it('accepts side effects and duplicate names of webhooks, unlike v1', () => {
    const configuration = { webhooks: [{ ...hook, sideEffects: 'Some' }, hook] };
    expect(complaints(webhooks, `${registration}/v1beta1`, configuration)).toEqual([]);
    expect(complaints(webhooks, `${registration}/v1`, configuration)).not.toEqual([]);
  });

  it('lists its supported values in errors', () => {
    expect(complaints(webhooks, `${registration}/v1beta1`, { webhooks: [{ ...hook, sideEffects: 'No' }] })).toEqual([
      'webhooks[0].sideEffects: Unsupported value: "No": supported values: "None", "NoneOnDryRun", "Some", "Unknown"',
    ]);
  });

  it('accepts the signer legacy-unknown', () => {
    const request = { spec: { request: 'AA==', usages: ['client auth', 'client auth', 'odd'] } };
    const found = complaints('certificatesigningrequests', 'certificates.k8s.io/v1beta1', request);
    expect(found.map((text) => text.split(':')[0])).toEqual(['spec.request']);
  });

  it('validates events as core/v1 does, with its own field names', () => {
    const old = { metadata: { namespace: 'default' }, regarding: { namespace: 'default' }, deprecatedCount: 2 };
    expect(complaints('events', 'events.k8s.io/v1beta1', old)).toEqual([]);
    expect(complaints('events', 'events.k8s.io/v1beta1', { ...old, eventTime: '2020-01-01T00:00:00.000000Z' })).toContain(
      'reportingController: Required value',
    );
  });

  it('follows the served versions and has the columns of the hub', () => {
    const { resource, served } = find('events', 'events.k8s.io/v1beta1');
    expect(resource.versions.map(({ group, version }) => `${group}/${version}`)).toEqual([
      '/v1',
      'events.k8s.io/v1',
      'events.k8s.io/v1beta1',
    ]);
    const name = served.columns?.at(-1);
    expect(
      name?.value({
        ...{ apiVersion: 'events.k8s.io/v1beta1' },
        metadata: { name: 'e' },
        note: 'hello',
      } as JsonObject as KubeObject),
    ).toBe('e');
    expect(served.columns?.map((column) => column.name)).toEqual(resource.hub.columns?.map((column) => column.name));
    expect(served.selectableFields).toHaveProperty(['regarding.name']);
  });

  it('has the legacy flag', () => {
    for (const versions of Object.values(legacyVersions))
      for (const { legacy, deprecationWarning } of versions)
        expect([legacy, typeof deprecationWarning]).toEqual([true, 'string']);
  });
});
