import {
  type FieldErrors,
  type FieldPath,
  isDNS1123Subdomain,
  type JsonObject,
  numberIn,
  objectIn,
  objectsIn,
  textIn,
  textsIn,
  validateLegacyIP,
} from '@tsukube/machinery';
import { isSubdomainWithUnderscore, report } from '../../common/field-validation.ts';

const maxNameservers = 3;
const maxSearches = 32;
const maxSearchCharacters = 2_048;

export function validateDnsConfig(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const config = objectIn(spec, 'dnsConfig');
  const nameservers = textsIn(config, 'nameservers');
  if (spec.dnsPolicy === 'None') {
    if (!config) errors.required(at, 'must provide `dnsConfig` when `dnsPolicy` is None');
    else if (nameservers.length === 0)
      errors.required(at.child('nameservers'), 'must provide at least one DNS nameserver when `dnsPolicy` is None');
    if (nameservers.length === 0) return;
  }
  if (nameservers.length > maxNameservers)
    errors.invalid(at.child('nameservers'), [...nameservers], `must not have more than ${maxNameservers} nameservers`);
  for (const [i, address] of nameservers.entries()) validateLegacyIP(address, at.child('nameservers').index(i), errors);
  validateSearches(textsIn(config, 'searches'), at.child('searches'), errors);
  for (const [i, option] of objectsIn(config, 'options').entries())
    if (textIn(option, 'name') === '') errors.required(at.child('options').index(i), 'must not be empty');
}

function validateSearches(searches: readonly string[], at: FieldPath, errors: FieldErrors): void {
  if (searches.length > maxSearches) errors.invalid(at, [...searches], `must not have more than ${maxSearches} search paths`);
  if (searches.join(' ').length > maxSearchCharacters) {
    const message = `must not have more than ${maxSearchCharacters} characters (including spaces) in the search list`;
    errors.invalid(at, [...searches], message);
  }
  for (const [i, search] of searches.entries()) {
    if (search === '.') continue;
    const name = search.replace(/\.$/, '');
    report(isSubdomainWithUnderscore(name), at.index(i), name, errors);
  }
}

export function validateHostAliases(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  for (const [i, alias] of objectsIn(spec, 'hostAliases').entries()) {
    validateLegacyIP(textIn(alias, 'ip'), at.index(i).child('ip'), errors);
    for (const [j, name] of textsIn(alias, 'hostnames').entries())
      report(isDNS1123Subdomain(name), at.index(i).child('hostnames').index(j), name, errors);
  }
}

/** With hostNetwork, host ports must equal container ports. */
export function validateHostNetwork(spec: JsonObject, isPod: boolean, at: FieldPath, errors: FieldErrors): void {
  if (spec.hostNetwork !== true) return;
  for (const [i, container] of objectsIn(spec, 'containers').entries()) {
    for (const [j, port] of objectsIn(container, 'ports').entries()) {
      const hostPort = numberIn(port, 'hostPort');
      if ((!isPod && hostPort === 0) || hostPort === numberIn(port, 'containerPort')) continue;
      const here = at.child('containers').index(i).child('ports').index(j).child('hostPort');
      errors.invalid(here, hostPort, 'must match `containerPort` when `hostNetwork` is true');
    }
  }
}

/** A user namespace excludes the other host namespaces. */
export function validateHostUsers(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  if (spec.hostUsers !== false) return;
  const message = 'when `hostUsers` is false';
  if (spec.hostNetwork === true) errors.forbidden(at.child('hostNetwork'), message);
  if (spec.hostPID === true) errors.forbidden(at.child('HostPID'), message);
  if (spec.hostIPC === true) errors.forbidden(at.child('HostIPC'), message);
  for (const field of ['initContainers', 'containers', 'ephemeralContainers'])
    for (const [i, container] of objectsIn(spec, field).entries())
      if (objectsIn(container, 'volumeDevices').length > 0)
        errors.forbidden(at.child(field).index(i).child('volumeDevices'), message);
}

const maxHostnameLength = 64;

export function validateHostnameOverride(spec: JsonObject, at: FieldPath, errors: FieldErrors): void {
  const name = spec.hostnameOverride;
  if (typeof name !== 'string') return;
  if (spec.setHostnameAsFQDN === true) errors.forbidden(at, 'may not be specified when setHostnameAsFQDN is true');
  if (spec.hostNetwork === true) errors.forbidden(at, 'may not be specified when hostNetwork is true');
  if (name.length > maxHostnameLength) errors.tooLong(at, maxHostnameLength);
  report(isDNS1123Subdomain(name), at, name, errors);
}
