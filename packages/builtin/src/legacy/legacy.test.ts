import { builtinTypes as types } from '@tsukube/api';
import type { Converter, ServedVersion } from '@tsukube/apiserver';
import { checkObject, deepEqual, isObject, type JsonObject, type JsonValue } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { randomNumbers, randomObject } from '../../../../tests/support/random-object.ts';
import { legacyVersions } from './index.ts';
import { lostFieldsAnnotation } from './lost-fields.ts';

const rounds = 25;

const otherHubs: Readonly<Record<string, string>> = {
  'io.k8s.api.events.v1beta1.Event': 'io.k8s.api.core.v1.Event',
  'io.k8s.api.extensions.v1beta1.Ingress': 'io.k8s.api.networking.v1.Ingress',
};

function hubOf(type: string): string {
  return otherHubs[type] ?? type.replace(/\.v\d+beta\d+\./, type.includes('autoscaling') ? '.v2.' : '.v1.');
}

const all = Object.values(legacyVersions)
  .flat()
  .map((version) => [version.schema.type, version] as const);

const definition = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinition';

/** Fields must not be set both at the top level and per version, so the object is converted once. */
function randomDefinition(seed: number): JsonObject {
  const version = all.find(([type]) => type === definition)?.[1] as ServedVersion;
  const { metadata, ...rest } = converterOf(version).fromHub(randomOf(hubOf(definition), seed));
  return inForm(definition, { ...rest, metadata: { name: 'd' } });
}

function randomOf(type: string, seed: number): JsonObject {
  if (type === definition) return randomDefinition(seed);
  const [{ group, version, kind } = { group: '', version: '', kind: '' }] = types.get(type).gvks ?? [];
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return inForm(type, { ...randomObject(type, randomNumbers(seed)), kind, apiVersion });
}

function inForm(type: string, object: JsonObject): JsonObject {
  const { value, error, unknown } = checkObject(object, types.get(type), types);
  expect(error, type).toBeUndefined();
  expect(unknown, type).toEqual([]);
  return value;
}

function converterOf(version: ServedVersion): Converter {
  return version.converter as Converter;
}

/** Paths of `part` that are missing in, or differ from, `whole`. Empty values may have been defaulted. */
function missing(part: JsonValue, whole: JsonValue | undefined, at = ''): readonly string[] {
  if (isObject(part) && isObject(whole))
    return Object.entries(part).flatMap(([key, value]) => missing(value, whole[key], `${at}/${key}`));
  if (Array.isArray(part) && Array.isArray(whole) && part.length === whole.length)
    return part.flatMap((value, index) => missing(value, whole[index], `${at}/${index}`));
  const unsaid = part === null || part === '' || part === 0;
  return unsaid || deepEqual(part, whole) ? [] : [`${at}: ${JSON.stringify(part)} → ${JSON.stringify(whole)}`];
}

describe('a removed version', () => {
  it.each(all)('keeps all fields in the hub: %s', (type, version) => {
    const { toHub, fromHub } = converterOf(version);
    for (let seed = 0; seed < rounds; seed++) {
      const object = randomOf(type, seed);
      const before = JSON.stringify(object, bigintAsText);
      const hub = toHub(object);
      expect(hub).toEqual(inForm(hubOf(type), hub));
      const back = fromHub(hub);
      expect(missing(object, back)).toEqual([]);
      expect(toHub(back)).toEqual(hub);
      expect(JSON.stringify(object, bigintAsText)).toBe(before);
    }
  });

  it.each(all)('loses nothing of the hub version: %s', (type, version) => {
    const { toHub, fromHub } = converterOf(version);
    for (let seed = 0; seed < rounds; seed++) {
      const hub = randomOf(hubOf(type), seed);
      const before = JSON.stringify(hub, bigintAsText);
      const object = fromHub(hub);
      expect(JSON.stringify(object, bigintAsText)).toBe(JSON.stringify(inForm(type, object), bigintAsText));
      expect(toHub(object)).toEqual(hub);
      expect(JSON.stringify(hub, bigintAsText)).toBe(before);
    }
  });

  it.each(all)('needs no annotation for its own fields: %s', (type, version) => {
    const { toHub, fromHub } = converterOf(version);
    for (let seed = 0; seed < rounds; seed++) {
      const object = randomOf(type, seed);
      if (hasEmptyPort(object)) continue;
      const { metadata } = fromHub(toHub(object));
      expect((metadata as JsonObject).annotations ?? {}).not.toHaveProperty([lostFieldsAnnotation]);
    }
  });
});

/** v1beta1 cannot express a service backend without name and port. */
function hasEmptyPort(object: JsonObject): boolean {
  return JSON.stringify(object, bigintAsText).includes('"servicePort":""');
}

function bigintAsText(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value;
}
