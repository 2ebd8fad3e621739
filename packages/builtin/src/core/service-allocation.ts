import type { ObjectRegistry, Reservation } from '@tsukube/apiserver';
import { FieldErrors, type FieldPath, type JsonObject, path, type ShownValue, StatusError } from '@tsukube/machinery';
import { metadataOf } from '../columns.ts';
import { numberIn, objectIn, objectsIn, textIn, textsIn } from './pod-spec/members.ts';
import { ServiceClaims } from './service-claims.ts';
import { isHeadless, needsHealthCheckPort } from './service-defaults.ts';
import { settleFamilies } from './service-families.ts';
import { shown } from './service-ip-validation.ts';
import { ServicePool } from './service-pool.ts';
import type { ServiceRanges } from './service-ranges.ts';
import { alignClusterIPs, allocatesNodePorts, carryOverAllocated, keepsDualStack, nodePortsOf } from './service-transitions.ts';

/** Gives a service its addresses and ports. Nothing waits once the pool is known, so no two writes take the same one. */
export async function reserveForService(
  object: JsonObject,
  old: JsonObject | undefined,
  objects: ObjectRegistry,
  ranges: ServiceRanges,
): Promise<Reservation> {
  const claims = new ServiceClaims(await ServicePool.of(objects), ranges);
  const name = textIn(metadataOf(object), 'name');
  const spec = objectIn(object, 'spec') ?? {};
  const oldSpec = objectIn(old, 'spec');
  try {
    if (oldSpec) carryOverAllocated(spec, oldSpec);
    alignClusterIPs(spec, oldSpec);
    settleFamilies(name, spec, oldSpec, ranges);
    allocateAddresses(name, spec, oldSpec, claims);
    allocateNodePorts(name, spec, oldSpec, claims);
    allocateHealthCheckPort(spec, oldSpec, claims);
    return claims;
  } catch (error) {
    claims.giveBack();
    throw error;
  }
}

/** One for each family that has none yet; those that a service has had stay with it. */
function allocateAddresses(name: string, spec: JsonObject, oldSpec: JsonObject | undefined, claims: ServiceClaims): void {
  if (spec.type === 'ExternalName' || isHeadless(spec) || keepsDualStack(spec, oldSpec)) return;
  const before = oldSpec && oldSpec.type !== 'ExternalName' ? oldSpec : undefined;
  if (before && isHeadless(before)) return;
  const kept = textsIn(before, 'ipFamilies').length;
  const families = textsIn(spec, 'ipFamilies');
  const ips = [...textsIn(spec, 'clusterIPs')];
  for (let i = kept; i < families.length; i++) {
    const ip = ips[i] ?? '';
    if (ip === '') ips[i] = claims.nextAddress(families[i] as string, name);
    else {
      const problem = claims.takeAddress(ip);
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

function allocateNodePorts(name: string, spec: JsonObject, oldSpec: JsonObject | undefined, claims: ServiceClaims): void {
  if (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') return;
  const take = (nodePort: number, i: number) => {
    const problem = claims.takePort(nodePort);
    if (problem) throw refused(name, path('spec', 'ports').index(i).child('nodePort'), nodePort, problem);
  };
  if (oldSpec) updateNodePorts(spec, oldSpec, claims, take);
  else createNodePorts(spec, claims, take);
}

type Take = (nodePort: number, i: number) => void;

/** Ports of one number, for several protocols, share their node port. */
function createNodePorts(spec: JsonObject, claims: ServiceClaims, take: Take): void {
  const ports = objectsIn(spec, 'ports');
  const shared = new Map<number, number>();
  for (const [i, port] of ports.entries()) {
    if (!port.nodePort && !allocatesNodePorts(spec)) continue;
    const number = numberIn(port, 'port');
    const known = shared.get(number);
    if (known === undefined) {
      const asked = ports.find((other) => numberIn(other, 'port') === number && other.nodePort)?.nodePort as number | undefined;
      if (asked) take(asked, i);
      port.nodePort = asked || claims.nextPort('nodePort');
      shared.set(number, port.nodePort);
    } else if (!port.nodePort) port.nodePort = known;
    else if (port.nodePort !== known) take(numberIn(port, 'nodePort'), i);
  }
}

function updateNodePorts(spec: JsonObject, oldSpec: JsonObject, claims: ServiceClaims, take: Take): void {
  const had = new Set(nodePortsOf(oldSpec));
  for (const [i, port] of objectsIn(spec, 'ports').entries()) {
    const asked = numberIn(port, 'nodePort');
    if (asked === 0) {
      if (allocatesNodePorts(spec)) port.nodePort = claims.nextPort('nodePort');
    } else if (!had.has(asked)) {
      take(asked, i);
      had.add(asked);
    }
  }
}

function allocateHealthCheckPort(spec: JsonObject, oldSpec: JsonObject | undefined, claims: ServiceClaims): void {
  if (!needsHealthCheckPort(spec) || (oldSpec && needsHealthCheckPort(oldSpec))) return;
  const asked = numberIn(spec, 'healthCheckNodePort');
  if (asked === 0) {
    spec.healthCheckNodePort = claims.nextPort('HealthCheck NodePort 0');
    return;
  }
  const problem = claims.takePort(asked);
  if (problem) throw StatusError.internalError(`failed to allocate requested HealthCheck NodePort ${asked}: ${problem}`);
}
