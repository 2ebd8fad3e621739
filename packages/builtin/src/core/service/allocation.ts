import type { ObjectRegistry, Reservation } from '@tsukube/apiserver';
import {
  FieldErrors,
  type FieldPath,
  type JsonObject,
  metadataOf,
  numberIn,
  objectIn,
  objectsIn,
  path,
  type ShownValue,
  StatusError,
  textIn,
  textsIn,
} from '@tsukube/machinery';
import { alignClusterIPs, allocatesNodePorts, carryOverAllocated, keepsDualStack, nodePortsOf } from './allocated-fields.ts';
import { shown } from './cluster-ip-validation.ts';
import { settleFamilies } from './ip-families.ts';
import { ServiceClaims } from './service-allocator.ts';
import { isHeadless, needsHealthCheckPort } from './service-defaults.ts';
import type { ServiceRanges } from './service-ranges.ts';
import { ServiceRepair } from './service-repair.ts';

/** Gives a service its addresses and ports. What cannot be had refuses the write, and nothing stays taken. */
export async function reserveForService(
  object: JsonObject,
  old: JsonObject | undefined,
  objects: ObjectRegistry,
  ranges: ServiceRanges,
  dryRun: boolean,
): Promise<Reservation> {
  await ServiceRepair.of(objects, ranges).once(objects.services.now());
  const claims = new ServiceClaims(objects, ranges, { object, old, dryRun });
  const name = textIn(metadataOf(object), 'name');
  const spec = objectIn(object, 'spec') ?? {};
  const oldSpec = objectIn(old, 'spec');
  try {
    if (oldSpec) carryOverAllocated(spec, oldSpec);
    alignClusterIPs(spec, oldSpec);
    settleFamilies(name, spec, oldSpec, ranges);
    await allocateAddresses(name, spec, oldSpec, claims);
    await allocateNodePorts(name, spec, oldSpec, claims);
    await allocateHealthCheckPort(spec, oldSpec, claims);
    return claims;
  } catch (error) {
    await claims.giveBack();
    throw error;
  }
}

/** One for each family that has none yet; those that a service has had stay with it. */
async function allocateAddresses(
  name: string,
  spec: JsonObject,
  oldSpec: JsonObject | undefined,
  claims: ServiceClaims,
): Promise<void> {
  if (spec.type === 'ExternalName' || isHeadless(spec) || keepsDualStack(spec, oldSpec)) return;
  const before = oldSpec && oldSpec.type !== 'ExternalName' ? oldSpec : undefined;
  if (before && isHeadless(before)) return;
  const kept = textsIn(before, 'ipFamilies').length;
  const families = textsIn(spec, 'ipFamilies');
  const ips = [...textsIn(spec, 'clusterIPs')];
  for (let i = kept; i < families.length; i++) {
    const ip = ips[i] ?? '';
    if (ip === '') ips[i] = await claims.nextAddress(families[i] as string);
    else {
      const problem = await claims.takeAddress(ip);
      const given = shown(textsIn(spec, 'clusterIPs'));
      if (problem) throw refused(name, path('spec', 'clusterIPs'), given, `failed to allocate IP ${ip}: ${problem}`);
    }
  }
  if (ips.length === 0) return;
  spec.clusterIPs = ips;
  if (!before) spec.clusterIP = ips[0] as string;
}

function refused(name: string, at: FieldPath, value: ShownValue, problem: string): StatusError {
  const errors = new FieldErrors();
  errors.invalid(at, value, problem);
  return StatusError.invalid({ group: '', kind: 'Service' }, name, errors);
}

async function allocateNodePorts(
  name: string,
  spec: JsonObject,
  oldSpec: JsonObject | undefined,
  claims: ServiceClaims,
): Promise<void> {
  if (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') return;
  const take = async (nodePort: number, i: number) => {
    const problem = await claims.takePort(nodePort);
    if (problem) throw refused(name, path('spec', 'ports').index(i).child('nodePort'), nodePort, problem);
  };
  if (oldSpec) await updateNodePorts(spec, oldSpec, claims, take);
  else await createNodePorts(spec, claims, take);
}

type Take = (nodePort: number, i: number) => Promise<void>;

/** Ports of one number, for several protocols, share their node port. */
async function createNodePorts(spec: JsonObject, claims: ServiceClaims, take: Take): Promise<void> {
  const ports = objectsIn(spec, 'ports');
  const shared = new Map<number, number>();
  const askedFor = new Map(
    ports
      .filter(({ nodePort }) => nodePort)
      .map((port) => [numberIn(port, 'port'), numberIn(port, 'nodePort')] as const)
      .reverse(),
  );
  for (const [i, port] of ports.entries()) {
    if (!port.nodePort && !allocatesNodePorts(spec)) continue;
    const number = numberIn(port, 'port');
    const known = shared.get(number);
    if (known === undefined) {
      const asked = askedFor.get(number);
      if (asked) await take(asked, i);
      port.nodePort = asked || (await claims.nextPort('nodePort'));
      shared.set(number, port.nodePort);
    } else if (!port.nodePort) port.nodePort = known;
    else if (port.nodePort !== known) await take(numberIn(port, 'nodePort'), i);
  }
}

async function updateNodePorts(spec: JsonObject, oldSpec: JsonObject, claims: ServiceClaims, take: Take): Promise<void> {
  const had = new Set(nodePortsOf(oldSpec));
  for (const [i, port] of objectsIn(spec, 'ports').entries()) {
    const asked = numberIn(port, 'nodePort');
    if (asked === 0) {
      if (allocatesNodePorts(spec)) port.nodePort = await claims.nextPort('nodePort');
    } else if (!had.has(asked)) {
      await take(asked, i);
      had.add(asked);
    }
  }
}

async function allocateHealthCheckPort(spec: JsonObject, oldSpec: JsonObject | undefined, claims: ServiceClaims): Promise<void> {
  if (!needsHealthCheckPort(spec) || (oldSpec && needsHealthCheckPort(oldSpec))) return;
  const asked = numberIn(spec, 'healthCheckNodePort');
  if (asked === 0) {
    spec.healthCheckNodePort = await claims.nextPort('HealthCheck NodePort 0');
    return;
  }
  const problem = await claims.takePort(asked);
  if (problem) throw StatusError.internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`);
}
