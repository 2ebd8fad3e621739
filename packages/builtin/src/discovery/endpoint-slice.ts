import { type Column, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  type JsonObject,
  mapIn,
  metadataOf,
  nameIsDNSSubdomain,
  objectsIn,
  path,
  textIn,
  textsIn,
  warningsForIP,
} from '@tsukube/machinery';
import { ageColumn, column, nameColumn } from '../common/columns.ts';
import { schemaOf } from '../common/schema.ts';
import { validateEndpointSlice, validateEndpointSliceUpdate } from './endpoint-slice-validation.ts';

const type = 'io.k8s.api.discovery.v1.EndpointSlice';
const shownAtMost = 3;

const columns: readonly Column[] = [
  nameColumn,
  column('AddressType', { type, field: 'addressType' }, (object) => textIn(object, 'addressType')),
  column('Ports', { type, field: 'ports' }, (object) => some(objectsIn(object, 'ports').map(portText))),
  column('Endpoints', { type, field: 'endpoints' }, (object) =>
    some(objectsIn(object, 'endpoints').flatMap((endpoint) => textsIn(endpoint, 'addresses'))),
  ),
  ageColumn,
];

const v1: ServedVersion = { group: 'discovery.k8s.io', version: 'v1', schema: schemaOf('discovery.v1.EndpointSlice'), columns };

export const endpointSlice: Resource = {
  names: { plural: 'endpointslices', singular: 'endpointslice', kind: 'EndpointSlice', listKind: 'EndpointSliceList' },
  scope: 'Namespaced',
  storagePrefix: '/registry/endpointslices',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    generation: true,
    applyDefaults(object) {
      for (const port of objectsIn(object, 'ports')) {
        port.name ??= '';
        port.protocol ??= 'TCP';
      }
    },
    prepareForCreate(object) {
      dropTopology(object, undefined);
    },
    prepareForUpdate(object, old) {
      countLabelChange(object, old);
      if (!deepEqual(object.endpoints, old.endpoints)) dropTopology(object, old);
    },
    validateCreate: validateEndpointSlice,
    validateUpdate: validateEndpointSliceUpdate,
    warnings: sliceWarnings,
  },
};

function portText(port: JsonObject): string {
  return String(port.port ?? port.name ?? '*');
}

function some(texts: readonly string[]): string {
  const more = texts.length > shownAtMost ? ` + ${texts.length - shownAtMost} more...` : '';
  return `${texts.slice(0, shownAtMost).join(',')}${more}` || '<unset>';
}

/** Labels tell which service a slice is for, so they count as well. */
function countLabelChange(object: JsonObject, old: JsonObject): void {
  const [metadata, before] = [metadataOf(object), metadataOf(old)];
  if (!deepEqual(metadata.labels ?? {}, before.labels ?? {})) metadata.generation = Number(before.generation ?? 0) + 1;
}

const hostname = 'kubernetes.io/hostname';

/** What only an older version could set goes with the first change; the name of a node moves to its field. */
function dropTopology(object: JsonObject, old: JsonObject | undefined): void {
  const known = new Set(objectsIn(old, 'endpoints').map((endpoint) => mapIn(endpoint, 'deprecatedTopology')[hostname]));
  for (const endpoint of objectsIn(object, 'endpoints')) {
    const name = mapIn(endpoint, 'deprecatedTopology')[hostname];
    if (name && known.has(name) && nameIsDNSSubdomain(name, false).length === 0) endpoint.nodeName ??= name;
    delete endpoint.deprecatedTopology;
  }
}

const managers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

function sliceWarnings(object: JsonObject, old: JsonObject | undefined): readonly string[] {
  const warnings = !old && object.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
  const manager = mapIn(metadataOf(object), 'labels')['endpointslice.kubernetes.io/managed-by'];
  if (managers.includes(manager ?? '')) return warnings;
  const ips = objectsIn(object, 'endpoints').flatMap((endpoint, i) =>
    textsIn(endpoint, 'addresses').flatMap((ip, j) => warningsForIP(ip, path('endpoints').index(i).child('addresses').index(j))),
  );
  return [...warnings, ...ips];
}
