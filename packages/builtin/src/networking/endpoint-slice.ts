import { ageColumn, type Column, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  deepEqual,
  FieldErrors,
  type FieldPath,
  isDNS1123Label,
  isDNS1123Subdomain,
  isQualifiedName,
  isValidLabelValue,
  type JsonObject,
  type KubeObject,
  mapIn,
  nameIsDNSSubdomain,
  objectIn,
  objectsIn,
  parseAddress,
  path,
  textIn,
  textsIn,
  validateImmutableField,
  validateIPAddress,
  validateLabels,
  validateLegacyIP,
  warningsForIP,
} from '@tsukube/machinery';
import { report, requireOneOf, validateDNSLabel } from '../common/field-validation.ts';
import { schemaOf } from '../common/schema.ts';
import { validateEndpointIP } from '../core/service/endpoints.ts';
import { protocols } from '../core/service/service-port-validation.ts';

const type = 'io.k8s.api.discovery.v1.EndpointSlice';
const maxShown = 3;

const columns: readonly Column[] = [
  nameColumn,
  column('AddressType', { type, field: 'addressType' }, (object) => textIn(object, 'addressType')),
  column('Ports', { type, field: 'ports' }, (object) => firstFew(objectsIn(object, 'ports').map(portText))),
  column('Endpoints', { type, field: 'endpoints' }, (object) =>
    firstFew(objectsIn(object, 'endpoints').flatMap((endpoint) => textsIn(endpoint, 'addresses'))),
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
      bumpGenerationForLabels(object, old);
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

function firstFew(texts: readonly string[]): string {
  const more = texts.length > maxShown ? ` + ${texts.length - maxShown} more...` : '';
  return `${texts.slice(0, maxShown).join(',')}${more}` || '<unset>';
}

/** The service name is a label, so changing labels increments the generation as well. */
function bumpGenerationForLabels(object: KubeObject, old: KubeObject): void {
  const [metadata, before] = [object.metadata, old.metadata];
  if (!deepEqual(metadata.labels ?? {}, before.labels ?? {})) metadata.generation = Number(before.generation ?? 0) + 1;
}

const hostname = 'kubernetes.io/hostname';

/** Drops deprecatedTopology, a field of v1beta1; its hostname moves to nodeName. */
function dropTopology(object: KubeObject, old: KubeObject | undefined): void {
  const known = new Set(objectsIn(old, 'endpoints').map((endpoint) => mapIn(endpoint, 'deprecatedTopology')[hostname]));
  for (const endpoint of objectsIn(object, 'endpoints')) {
    const name = mapIn(endpoint, 'deprecatedTopology')[hostname];
    if (name && known.has(name) && nameIsDNSSubdomain(name, false).length === 0) endpoint.nodeName ??= name;
    delete endpoint.deprecatedTopology;
  }
}

const managers = ['endpointslice-controller.k8s.io', 'endpointslicemirroring-controller.k8s.io'];

function sliceWarnings(object: KubeObject, old: KubeObject | undefined): readonly string[] {
  const warnings = !old && object.addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [];
  const manager = mapIn(object.metadata, 'labels')['endpointslice.kubernetes.io/managed-by'];
  if (managers.includes(manager ?? '')) return warnings;
  const ips = objectsIn(object, 'endpoints').flatMap((endpoint, i) =>
    textsIn(endpoint, 'addresses').flatMap((ip, j) => warningsForIP(ip, path('endpoints').index(i).child('addresses').index(j))),
  );
  return [...warnings, ...ips];
}

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const maxEndpoints = 1000;
const maxAddresses = 100;
const maxPorts = 20_000;
const maxTopologyLabels = 16;
const maxHints = 8;

function validateEndpointSlice(object: KubeObject, errors: FieldErrors): void {
  validateHead(object, errors);
  validateEndpoints(object, errors);
}

/** Ratcheting: unchanged endpoints are not validated. */
function validateEndpointSliceUpdate(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  validateHead(object, errors);
  const found = new FieldErrors();
  validateEndpoints(object, found);
  if (found.length > 0 && !deepEqual(object.endpoints, old.endpoints)) errors.addAll(found);
  validateImmutableField(object.addressType, old.addressType, path('addressType'), errors);
}

function validateHead(object: KubeObject, errors: FieldErrors): void {
  requireOneOf(textIn(object, 'addressType'), addressTypes, path('addressType'), errors);
  validatePorts(objectsIn(object, 'ports'), path('ports'), errors);
}

function validatePorts(ports: readonly JsonObject[], at: FieldPath, errors: FieldErrors): void {
  if (ports.length > maxPorts) {
    errors.tooMany(at, ports.length, maxPorts);
    return;
  }
  const names = new Set<string>();
  for (const [i, port] of ports.entries()) {
    const here = at.index(i);
    const name = textIn(port, 'name');
    if (name !== '') validateDNSLabel(name, here.child('name'), errors);
    if (names.has(name)) errors.duplicate(here.child('name'), name);
    names.add(name);
    const protocol = textIn(port, 'protocol');
    if (!protocols.includes(protocol)) errors.notSupported(here.child('protocol'), protocol, protocols);
    const { appProtocol } = port;
    if (typeof appProtocol === 'string') report(isQualifiedName(appProtocol), here.child('appProtocol'), appProtocol, errors);
  }
}

function validateEndpoints(object: KubeObject, errors: FieldErrors): void {
  const endpoints = objectsIn(object, 'endpoints');
  if (endpoints.length > maxEndpoints) {
    errors.tooMany(path('endpoints'), endpoints.length, maxEndpoints);
    return;
  }
  for (const [i, endpoint] of endpoints.entries())
    validateEndpoint(endpoint, textIn(object, 'addressType'), path('endpoints').index(i), errors);
}

function validateEndpoint(endpoint: JsonObject, type: string, at: FieldPath, errors: FieldErrors): void {
  const addresses = textsIn(endpoint, 'addresses');
  const here = at.child('addresses');
  if (addresses.length === 0) errors.required(here, 'must contain at least 1 address');
  else if (addresses.length > maxAddresses) errors.tooMany(here, addresses.length, maxAddresses);
  for (const [i, address] of addresses.entries()) validateAddress(address, type, here, here.index(i), errors);
  const { nodeName, hostname } = endpoint;
  if (typeof nodeName === 'string') report(nameIsDNSSubdomain(nodeName, false), at.child('nodeName'), nodeName, errors);
  const topology = mapIn(endpoint, 'deprecatedTopology');
  if (Object.keys(topology).length > maxTopologyLabels)
    errors.tooMany(at.child('deprecatedTopology'), Object.keys(topology).length, maxTopologyLabels);
  validateLabels(topology, at.child('deprecatedTopology'), errors);
  if (typeof hostname === 'string') validateDNSLabel(hostname, at.child('hostname'), errors);
  validateHints(objectIn(endpoint, 'hints'), at.child('hints'), errors);
}

/** A wrong IP family is reported at the list, other errors at the address. */
function validateAddress(address: string, type: string, list: FieldPath, at: FieldPath, errors: FieldErrors): void {
  if (type === 'FQDN') {
    validateDomainName(address, at, errors);
    return;
  }
  if (type !== 'IPv4' && type !== 'IPv6') return;
  const found = errors.length;
  if (type === 'IPv4') validateLegacyIP(address, at, errors);
  else validateIPAddress(address, at, errors);
  if (errors.length > found) return;
  if (parseAddress(address)?.family !== type) errors.invalid(list, address, `must be an ${type} address`);
  validateEndpointIP(address, at, errors);
}

function validateDomainName(name: string, at: FieldPath, errors: FieldErrors): void {
  if (name === '') {
    errors.required(at);
    return;
  }
  const bare = name.replace(/\.$/, '');
  const problems = isDNS1123Subdomain(bare);
  if (problems.length > 0) errors.invalid(at, bare, problems.join(','));
  else if (!bare.includes('.')) errors.invalid(at, bare, 'should be a domain with at least two segments separated by dots');
  else validateDomainLabels(bare.split('.'), at, errors);
}

function validateDomainLabels(labels: readonly string[], at: FieldPath, errors: FieldErrors): void {
  const wrong = labels.find((label) => isDNS1123Label(label).length > 0);
  if (wrong !== undefined) errors.invalid(at, wrong, isDNS1123Label(wrong).join(','));
}

function validateHints(hints: JsonObject | undefined, at: FieldPath, errors: FieldErrors): void {
  const kinds = [
    ['forZones', isValidLabelValue],
    ['forNodes', (name: string) => nameIsDNSSubdomain(name, false)],
  ] as const;
  for (const [field, problemsOf] of kinds) {
    const list = objectsIn(hints, field);
    if (list.length > maxHints) {
      errors.tooMany(at.child(field), list.length, maxHints);
      return;
    }
    const seen = new Set<string>();
    for (const [i, hint] of list.entries()) {
      const name = textIn(hint, 'name');
      const here = at.child(field).index(i).child('name');
      if (seen.has(name)) errors.duplicate(here, name);
      seen.add(name);
      report(problemsOf(name), here, name, errors);
    }
  }
}
