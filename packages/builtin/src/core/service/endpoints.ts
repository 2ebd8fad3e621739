import { ageColumn, column, nameColumn, type Resource, type ServedVersion, storedVerbs } from '@tsukube/apiserver';
import {
  type Cidr,
  containsAddress,
  deepEqual,
  FieldErrors,
  type FieldPath,
  fillIn,
  isQualifiedName,
  type JsonObject,
  type KubeObject,
  mapIn,
  nameIsDNSSubdomain,
  numberIn,
  objectsIn,
  parseAddress,
  parseCidr,
  path,
  textIn,
  validateLegacyIP,
  warningsForIP,
} from '@tsukube/machinery';
import { isPortNumber, report, requireOneOf, validateDNSLabel } from '../../common/field-validation.ts';
import { schemaOf } from '../../common/schema.ts';
import { protocols } from './service-port-validation.ts';

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.Endpoints'),
  deprecationWarning: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
  columns: [
    nameColumn,
    column('Endpoints', { type: 'io.k8s.api.core.v1.Endpoints', field: 'subsets' }, endpointsCell),
    ageColumn,
  ],
};

export const endpoints: Resource = {
  names: {
    plural: 'endpoints',
    singular: 'endpoints',
    kind: 'Endpoints',
    listKind: 'EndpointsList',
    shortNames: ['ep'],
  },
  scope: 'Namespaced',
  storagePrefix: '/registry/services/endpoints',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  strategy: {
    allowCreateOnUpdate: true,
    applyDefaults(object) {
      for (const subset of objectsIn(object, 'subsets'))
        for (const port of objectsIn(subset, 'ports')) fillIn(port, 'protocol', 'TCP');
    },
    validateCreate: (object, errors) => validateSubsets(object, errors),
    validateUpdate(object, old, errors) {
      const found = new FieldErrors();
      validateSubsets(object, found);
      if (found.length > 0 && !deepEqual(object.subsets, old.subsets)) errors.addAll(found);
    },
    warnings: endpointsWarnings,
  },
};

const subsetsPath = path('subsets');
const addressFields = ['addresses', 'notReadyAddresses'];

function validateSubsets(object: KubeObject, errors: FieldErrors): void {
  for (const [i, subset] of objectsIn(object, 'subsets').entries()) {
    const at = subsetsPath.index(i);
    if (addressFields.every((field) => objectsIn(subset, field).length === 0))
      errors.required(at, 'must specify `addresses` or `notReadyAddresses`');
    for (const field of addressFields)
      for (const [j, address] of objectsIn(subset, field).entries()) validateAddress(address, at.child(field).index(j), errors);
    const ports = objectsIn(subset, 'ports');
    for (const [j, port] of ports.entries()) validatePort(port, ports.length > 1, at.child('ports').index(j), errors);
  }
}

function validateAddress(address: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const ip = textIn(address, 'ip');
  validateLegacyIP(ip, at.child('ip'), errors);
  const hostname = textIn(address, 'hostname');
  if (hostname !== '') validateDNSLabel(hostname, at.child('hostname'), errors);
  const { nodeName } = address;
  if (typeof nodeName === 'string') report(nameIsDNSSubdomain(nodeName, false), at.child('nodeName'), nodeName, errors);
  validateEndpointIP(ip, at.child('ip'), errors);
}

function validatePort(port: JsonObject, named: boolean, at: FieldPath, errors: FieldErrors): void {
  const name = textIn(port, 'name');
  if (name !== '') validateDNSLabel(name, at.child('name'), errors);
  else if (named) errors.required(at.child('name'));
  report(isPortNumber(numberIn(port, 'port')), at.child('port'), numberIn(port, 'port'), errors);
  requireOneOf(textIn(port, 'protocol'), protocols, at.child('protocol'), errors);
  const { appProtocol } = port;
  if (typeof appProtocol === 'string') report(isQualifiedName(appProtocol), at.child('appProtocol'), appProtocol, errors);
}

const managedBy = 'endpoints.kubernetes.io/managed-by';

/** No warnings for endpoints of the endpoints controller: it writes canonical addresses. */
function endpointsWarnings(object: KubeObject): readonly string[] {
  if (mapIn(object.metadata, 'labels')[managedBy] === 'endpoint-controller') return [];
  return objectsIn(object, 'subsets').flatMap((subset, i) =>
    addressFields.flatMap((field) =>
      objectsIn(subset, field).flatMap((address, j) =>
        warningsForIP(textIn(address, 'ip'), subsetsPath.index(i).child(field).index(j).child('ip')),
      ),
    ),
  );
}

const shownEndpoints = 3;

function endpointsCell(object: KubeObject): string {
  const subsets = objectsIn(object, 'subsets');
  if (subsets.length === 0) return '<none>';
  const shown = subsets.flatMap(firstEndpoints).slice(0, shownEndpoints);
  const count = subsets.reduce((sum, subset) => sum + endpointCount(subset), 0);
  const more = count > shownEndpoints ? ` + ${count - shownEndpoints} more...` : '';
  return `${shown.join(',')}${more}`;
}

/** Number of address and port pairs, without building them. */
function endpointCount(subset: JsonObject): number {
  return objectsIn(subset, 'addresses').length * Math.max(objectsIn(subset, 'ports').length, 1);
}

function firstEndpoints(subset: JsonObject): readonly string[] {
  const ips = objectsIn(subset, 'addresses')
    .slice(0, shownEndpoints)
    .map((address) => textIn(address, 'ip'));
  const ports = objectsIn(subset, 'ports').slice(0, shownEndpoints);
  if (ports.length === 0) return ips;
  return ports.flatMap((port) => ips.map((ip) => `${ip.includes(':') ? `[${ip}]` : ip}:${numberIn(port, 'port')}`));
}

const special: readonly (readonly [string, readonly string[]])[] = [
  ['may not be in the loopback range (127.0.0.0/8, ::1/128)', ['127.0.0.0/8', '::1/128']],
  ['may not be in the link-local range (169.254.0.0/16, fe80::/10)', ['169.254.0.0/16', 'fe80::/10']],
  ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)', ['224.0.0.0/24', 'ff02::/16']],
];
const ranges = special.map(([message, texts]) => ({ message, cidrs: texts.map((text) => parseCidr(text) as Cidr) }));

/** Rejects unspecified, loopback and link-local addresses. */
export function validateEndpointIP(text: string, at: FieldPath, errors: FieldErrors): void {
  const address = parseAddress(text);
  if (!address) {
    errors.invalid(at, text, 'must be a valid IP address');
    return;
  }
  if (address.value === 0n) errors.invalid(at, text, `may not be unspecified (${text})`);
  for (const { message, cidrs } of ranges) {
    if (cidrs.some((cidr) => containsAddress(cidr, address))) errors.invalid(at, text, message);
  }
}
