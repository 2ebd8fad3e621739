import type { Converter, ServedVersion } from '@tsukube/apiserver';
import { customResourceDefinition } from '@tsukube/crds';
import { FieldErrors, type JsonObject, type KubeObject } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { definitionVersions } from './definitions.ts';
import { withLegacyVersions } from './index.ts';
import { lostFieldsAnnotation } from './lost-fields.ts';

const v1beta1 = definitionVersions[0] as ServedVersion;
const { toHub, fromHub } = v1beta1.converter as Converter;
const [resource] = withLegacyVersions([customResourceDefinition]);

function definition(name: string, spec: JsonObject): JsonObject {
  return { kind: 'CustomResourceDefinition', apiVersion: 'apiextensions.k8s.io/v1beta1', metadata: { name }, spec };
}

const cronTab = definition('crontabs.stable.example.com', {
  group: 'stable.example.com',
  version: 'v1',
  names: { plural: 'crontabs', kind: 'CronTab', shortNames: ['ct'] },
  validation: { openAPIV3Schema: { properties: { spec: { properties: { replicas: { type: 'integer', minimum: 1 } } } } } },
  subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' } },
  additionalPrinterColumns: [{ name: 'Replicas', type: 'integer', JSONPath: '.spec.replicas' }],
});

const virtualService = definition('virtualservices.networking.istio.io', {
  group: 'networking.istio.io',
  names: { kind: 'VirtualService', plural: 'virtualservices', categories: ['istio-io'], shortNames: ['vs'] },
  scope: 'Namespaced',
  preserveUnknownFields: false,
  additionalPrinterColumns: [{ JSONPath: '.spec.hosts', name: 'Hosts', type: 'string' }],
  validation: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } },
  versions: [
    { name: 'v1alpha3', served: true, storage: true },
    { name: 'v1beta1', served: true, storage: false },
  ],
});

const converting = definition('things.example.com', {
  group: 'example.com',
  names: { kind: 'Thing', plural: 'things' },
  preserveUnknownFields: false,
  versions: [
    { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
    { name: 'v2', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object', description: 'another' } } },
  ],
  conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'https://example.com/convert' } },
});

/** The validation errors of a definition created in v1beta1. */
function problems(object: JsonObject): readonly string[] {
  const hub = toHub(object);
  const errors = new FieldErrors();
  resource?.strategy.applyDefaults?.(hub as KubeObject);
  resource?.strategy.prepareForCreate?.(hub as KubeObject, { name: 'u', groups: [] }, v1beta1);
  resource?.strategy.validateCreate?.(hub as KubeObject, errors, v1beta1);
  return errors.list.map(({ field, body }) => `${field}: ${body}`);
}

describe('CustomResourceDefinition v1beta1', () => {
  it('converts versions, schemas, columns and subresources to v1', () => {
    expect(toHub(cronTab).spec).toMatchObject({
      scope: 'Namespaced',
      preserveUnknownFields: true,
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { properties: { spec: {} } } },
          subresources: { status: {}, scale: { specReplicasPath: '.spec.replicas' } },
          additionalPrinterColumns: [{ name: 'Replicas', jsonPath: '.spec.replicas' }],
        },
      ],
    });
    const { versions } = toHub(virtualService).spec as { versions: JsonObject[] };
    expect(versions.map(({ name, schema }) => [name, schema !== undefined])).toEqual([
      ['v1alpha3', true],
      ['v1beta1', true],
    ]);
    expect(toHub(virtualService).spec).not.toHaveProperty('preserveUnknownFields');
    expect(toHub(converting).spec).toMatchObject({
      conversion: { webhook: { clientConfig: { url: 'https://example.com/convert' }, conversionReviewVersions: ['v1beta1'] } },
    });
  });

  it.each([cronTab, virtualService, converting])('round-trips $metadata.name', (object) => {
    const back = fromHub(toHub(object));
    expect(back).toMatchObject(object as object);
    expect(back.metadata).not.toHaveProperty(['annotations', lostFieldsAnnotation]);
  });

  const { group: _, ...anonymous } = cronTab.spec as JsonObject;
  it.each<[string, JsonObject, readonly string[]]>([
    ['a schema that is not structural', cronTab, []],
    ['a schema for all versions', virtualService, []],
    ['a webhook', converting, []],
    ['no schema', definition('as.b.c', { group: 'b.c', version: 'v1', names: { plural: 'as', kind: 'A' } }), []],
    [
      'a group of the project',
      definition('as.k8s.io', { group: 'x.k8s.io', version: 'v1', names: { plural: 'as', kind: 'A' } }),
      ['metadata.name: Invalid value: "as.k8s.io": must be spec.names.plural+"."+spec.group'],
    ],
    ['no group', definition('crontabs.', anonymous), ['spec.group: Required value']],
    [
      'pruning without a schema',
      definition('as.b.c', { group: 'b.c', version: 'v1', preserveUnknownFields: false, names: { plural: 'as', kind: 'A' } }),
      ['spec.versions[0].schema.openAPIV3Schema: Required value: because otherwise all fields are pruned'],
    ],
    [
      'a webhook and everything kept',
      definition('things.example.com', { ...(converting.spec as JsonObject), preserveUnknownFields: true }),
      ['spec.conversion.strategy: Invalid value: "Webhook": must be None if spec.preserveUnknownFields is true'],
    ],
  ])('is validated as v1beta1 was: %s', (_title, object, found) => expect(problems(object)).toEqual(found));

  it.each<[string, JsonObject, string]>([
    [
      'schemas',
      { validation: { openAPIV3Schema: {} }, versions: [{ name: 'v1', schema: { openAPIV3Schema: {} } }] },
      'spec.validation: Forbidden: top-level and per-version schemas are mutually exclusive',
    ],
    [
      'versions',
      { version: 'v2', versions: [{ name: 'v1' }] },
      'spec.version: Invalid value: "v2": must match the first version in spec.versions',
    ],
  ])('rejects fields at both levels: %s', (_title, spec, message) =>
    expect(() => toHub(definition('a', spec))).toThrow(
      `CustomResourceDefinition.apiextensions.k8s.io "a" is invalid: ${message}`,
    ),
  );
});
