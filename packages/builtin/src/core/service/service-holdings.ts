import { type JsonObject, numberIn, objectIn, objectsIn, parseAddress, textsIn } from '@tsukube/machinery';

/** What a service has of that of which there is only one each. */
export interface Holdings {
  readonly addresses: readonly string[];
  readonly ports: readonly number[];
}

export function holdingsOf(service: JsonObject | undefined): Holdings {
  const spec = objectIn(service, 'spec');
  if (!spec || spec.type === 'ExternalName') return { addresses: [], ports: [] };
  const ports = [...objectsIn(spec, 'ports').map((port) => numberIn(port, 'nodePort')), numberIn(spec, 'healthCheckNodePort')];
  return {
    addresses: textsIn(spec, 'clusterIPs').filter((ip) => parseAddress(ip) !== undefined),
    ports: [...new Set(ports)].filter((port) => port !== 0),
  };
}

/** What is no longer held. */
export function givenUp(before: Holdings, after: Holdings): Holdings {
  const [addresses, ports] = [new Set(after.addresses), new Set(after.ports)];
  return {
    addresses: before.addresses.filter((ip) => !addresses.has(ip)),
    ports: before.ports.filter((port) => !ports.has(port)),
  };
}
