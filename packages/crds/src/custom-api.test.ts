import type { CacheEntry, ObjectCache, ObjectRegistry, RegistryServices } from '@tsukube/apiserver';
import { describe, expect, it } from 'vitest';
import { lookUpCustomApi } from './custom-api.ts';

const version = (name: string) => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object' } },
});
const names = { plural: 'lamps', singular: 'lamp', kind: 'Lamp', listKind: 'LampList' };

function entryOf(established: 'True' | 'False', more: Partial<CacheEntry> = {}): CacheEntry {
  const definition = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'lamps.example.com', uid: 'u' },
    spec: { group: 'example.com', names, scope: 'Namespaced', versions: ['v1beta1', 'v1'].map(version) },
    status: { acceptedNames: names, conditions: [{ type: 'Established', status: established }], storedVersions: ['v1'] },
  };
  const value = Buffer.from(JSON.stringify(definition));
  return { key: '/crds/lamps.example.com', revision: 1, created: 1, value, derived: undefined, ...more };
}

function apiWith(entry: CacheEntry) {
  const cache = { prefix: '/crds/', peek: (key: string) => (key === entry.key ? entry : undefined) };
  const definitions = { cache, resource: { storagePrefix: '/crds' } } as unknown as ObjectRegistry;
  return lookUpCustomApi(definitions, {
    openCache: () => ({}) as ObjectCache,
    services: {} as RegistryServices,
    prefix: '/registry',
    resolveService: () => Promise.reject(new Error('there are no services')),
    shutdown: { onBegin: () => () => {} },
  });
}

describe('storedObjects', () => {
  it('finds the registry of the storage version', () => {
    const { resource } = apiWith(entryOf('True')).storedObjects('example.com', 'lamps') as ObjectRegistry;
    expect([resource.names.plural, resource.hub.version]).toEqual(['lamps', 'v1']);
  });

  it.each([
    ['the definition is not established', entryOf('False'), 'lamps'],
    ['the definition cannot be read', entryOf('True', { corrupt: new Error('corrupt') as CacheEntry['corrupt'] }), 'lamps'],
    ['there is no definition', entryOf('True'), 'lights'],
  ])('is undefined if %s', (_, entry, plural) => {
    expect(apiWith(entry).storedObjects('example.com', plural)).toBeUndefined();
  });
});
