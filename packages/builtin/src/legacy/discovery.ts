import type { ServedVersion } from '@tsukube/apiserver';
import { type JsonObject, mapIn, objectIn, setKey } from '@tsukube/machinery';
import { type LegacyConversion, legacyVersion, withEach } from './legacy-version.ts';

const zoneLabel = 'topology.kubernetes.io/zone';
const hostLabel = 'kubernetes.io/hostname';

/** v1beta1 has node and zone in the `topology` map. */
const conversion: LegacyConversion = {
  toHub: (slice) => withEach(slice, 'endpoints', endpointToHub),
  fromHub: (slice) => withEach(slice, 'endpoints', endpointFromHub),
};

function endpointToHub(old: JsonObject): JsonObject {
  const { topology: _, ...endpoint } = old;
  const topology = mapIn(old, 'topology');
  const saidElsewhere = ([label, value]: [string, string]) =>
    label === zoneLabel || (label === hostLabel && value === endpoint.nodeName);
  const deprecatedTopology: JsonObject = {};
  for (const entry of Object.entries(topology)) if (!saidElsewhere(entry)) setKey(deprecatedTopology, ...entry);
  const zone = topology[zoneLabel];
  return { ...endpoint, ...(zone !== undefined && { zone }), deprecatedTopology };
}

function endpointFromHub(hub: JsonObject): JsonObject {
  const { deprecatedTopology: _, zone, ...endpoint } = hub;
  const topology = { ...objectIn(hub, 'deprecatedTopology') };
  if (zone !== undefined) topology[zoneLabel] = zone;
  if (endpoint.nodeName !== undefined && !topology[hostLabel]) topology[hostLabel] = endpoint.nodeName;
  return { ...endpoint, topology };
}

export const endpointSliceVersions: readonly ServedVersion[] = [
  legacyVersion({
    group: 'discovery.k8s.io',
    type: 'discovery.v1beta1.EndpointSlice',
    hub: 'discovery.v1.EndpointSlice',
    deprecated: 21,
    removed: 25,
    replacement: 'discovery.k8s.io/v1 EndpointSlice',
    conversion,
    // Only v1beta1 writes may set deprecatedTopology.
    preservedFields: ['endpoints'],
  }),
];
