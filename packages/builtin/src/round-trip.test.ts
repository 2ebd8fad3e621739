import { decodeObject, presentAs, type Resource, type ServedVersion } from '@tsukube/apiserver';
import {
  apiVersionOf,
  checkObject,
  decodeProtobuf,
  encodeProtobuf,
  type JsonObject,
  stringifyJson,
  wrapProtobuf,
} from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { randomNumbers, randomObject } from '../../../tests/support/random-object.ts';
import { builtinResources } from './index.ts';

const rounds = 10;
const resources = builtinResources({ eventTtlSeconds: 3600 });
const served = resources.flatMap((resource) =>
  resource.versions.map((version) => [`${apiVersionOf(version)} ${resource.names.kind}`, resource, version] as const),
);

function checked({ schema: { catalogue, type } }: ServedVersion, object: JsonObject): JsonObject {
  const { value, error } = checkObject(object, catalogue.get(type), catalogue);
  if (error !== undefined) throw new Error(error);
  return value;
}

function anyObject(resource: Resource, version: ServedVersion, seed: number): JsonObject {
  const random = randomObject(version.schema.type, randomNumbers(seed));
  const metadata = { ...(random.metadata as JsonObject), name: 'a', uid: 'u' };
  const typeMeta = { kind: resource.names.kind, apiVersion: apiVersionOf(version) };
  return checked(version, { ...random, ...typeMeta, metadata });
}

function inProtobuf(version: ServedVersion, object: JsonObject): Buffer {
  const { catalogue, type } = version.schema;
  return wrapProtobuf(object.apiVersion as string, object.kind as string, encodeProtobuf(object, catalogue.get(type), catalogue));
}

const allocate = (size: number) => Buffer.alloc(size);

describe('every version of every kind', () => {
  it('is present', () => {
    expect(served.length).toBeGreaterThan(90);
    expect(served.map(([name]) => name)).toEqual(
      expect.arrayContaining(['autoscaling/v2beta1 HorizontalPodAutoscaler', 'extensions/v1beta1 Ingress', 'v1 Event']),
    );
  });

  it.each(served)('survives a round trip through protobuf: %s', (_, resource, version) => {
    const { catalogue, type } = version.schema;
    for (let seed = 0; seed < rounds; seed++) {
      const object = anyObject(resource, version, seed);
      const bytes = encodeProtobuf(object, catalogue.get(type), catalogue);
      const { kind, apiVersion } = object as { kind: string; apiVersion: string };
      const back = { kind, apiVersion, ...decodeProtobuf(bytes, catalogue.get(type), catalogue) };
      expect(checked(version, back)).toEqual(object);
    }
  });

  // Random v1beta1 definitions contradict themselves and fail to convert.
  const stored = served.filter(
    ([, { storagePrefix }, { group, version }]) =>
      storagePrefix !== '' && `${group}/${version}` !== 'apiextensions.k8s.io/v1beta1',
  );
  it.each(stored)('is decoded as stored by a kube-apiserver: %s', (_, resource, version) => {
    const present = presentAs(resource);
    for (let seed = 0; seed < rounds; seed++) {
      const object = anyObject(resource, version, seed);
      const fromJson = present(Buffer.from(stringifyJson(object)), 7, allocate);
      const fromProtobuf = present(inProtobuf(version, object), 7, allocate);
      const read = decodeObject(fromProtobuf);
      expect(read.apiVersion).toBe(apiVersionOf(resource.hub));
      expect((read.metadata as JsonObject).resourceVersion).toBe('7');
      if (version !== resource.hub) expect(decodeObject(fromJson)).toEqual(read);
    }
  });
});

describe('a CustomResourceDefinition stored by a kube-apiserver', () => {
  const definitions = resources.find(({ names }) => names.plural === 'customresourcedefinitions') as Resource;
  const storedBeta = definitions.versions.find(({ version }) => version === 'v1beta1') as ServedVersion;

  it('has the top-level schema, columns and subresources in each version', () => {
    const beta = {
      kind: 'CustomResourceDefinition',
      apiVersion: 'apiextensions.k8s.io/v1beta1',
      metadata: { name: 'trees.example.com', uid: 'u' },
      spec: {
        group: 'example.com',
        version: 'v1',
        names: { plural: 'trees', kind: 'Tree' },
        scope: 'Namespaced',
        validation: { openAPIV3Schema: { type: 'object' } },
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'Height', type: 'integer', JSONPath: '.spec.height' }],
        versions: [
          { name: 'v1', served: true, storage: true },
          { name: 'v2', served: true, storage: false },
        ],
        conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1'] },
        preserveUnknownFields: false,
      },
    };
    const { spec } = decodeObject(presentAs(definitions)(inProtobuf(storedBeta, beta), 7, allocate));
    const common = {
      served: true,
      schema: { openAPIV3Schema: { type: 'object' } },
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: 'Height', type: 'integer', jsonPath: '.spec.height' }],
    };
    expect(spec).toMatchObject({
      versions: [
        { name: 'v1', storage: true, ...common },
        { name: 'v2', storage: false, ...common },
      ],
      conversion: { strategy: 'Webhook', webhook: { clientConfig: { url: 'https://a' }, conversionReviewVersions: ['v1'] } },
    });
    expect(spec).not.toHaveProperty('preserveUnknownFields');
    expect(spec).not.toHaveProperty('validation');
  });
});
