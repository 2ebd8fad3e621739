import type { ObjectRegistry, Reservation } from '@tsukube/apiserver';
import {
  FieldErrors,
  type FieldPath,
  type JsonObject,
  type KubeObject,
  numberIn,
  objectIn,
  objectsIn,
  path,
  type ShownValue,
  StatusError,
  textsIn,
} from '@tsukube/machinery';
import { specOf } from '../../common/objects.ts';
import { initIPFamilyFields } from './ip-families.ts';
import { ServiceAllocator } from './service-allocator.ts';
import type { ServiceRanges } from './service-ranges.ts';
import { ServiceRepair } from './service-repair.ts';
import {
  allocatesNodePorts,
  isHeadless,
  keepsDualStack,
  needsHealthCheckPort,
  nodePortsOf,
  normalizeClusterIPs,
  patchAllocatedValues,
} from './service-strategy.ts';

/** Allocates cluster IPs and node ports. On failure the write is rejected and everything allocated is released. */
export async function allocateForService(
  object: KubeObject,
  old: KubeObject | undefined,
  objects: ObjectRegistry,
  ranges: ServiceRanges,
  dryRun: boolean,
): Promise<Reservation> {
  await ServiceRepair.of(objects, ranges).once(objects.services.now());
  const allocator = new ServiceAllocator(objects, ranges, { object, old, dryRun });
  const { name = '' } = object.metadata;
  const spec = specOf(object);
  const oldSpec = objectIn(old, 'spec');
  try {
    if (oldSpec) patchAllocatedValues(spec, oldSpec);
    normalizeClusterIPs(spec, oldSpec);
    initIPFamilyFields(name, spec, oldSpec, ranges);
    await allocateAddresses(name, spec, oldSpec, allocator);
    await allocateNodePorts(name, spec, oldSpec, allocator);
    await allocateHealthCheckPort(spec, oldSpec, allocator);
    return allocator;
  } catch (error) {
    await allocator.giveBack();
    throw error;
  }
}

/** Allocates one IP for each IP family that has none; IPs of the old service are kept. */
async function allocateAddresses(
  name: string,
  spec: JsonObject,
  oldSpec: JsonObject | undefined,
  allocator: ServiceAllocator,
): Promise<void> {
  if (spec.type === 'ExternalName' || isHeadless(spec) || keepsDualStack(spec, oldSpec)) return;
  const before = oldSpec && oldSpec.type !== 'ExternalName' ? oldSpec : undefined;
  if (before && isHeadless(before)) return;
  const kept = textsIn(before, 'ipFamilies').length;
  const families = textsIn(spec, 'ipFamilies');
  const ips = [...textsIn(spec, 'clusterIPs')];
  for (let i = kept; i < families.length; i++) {
    const ip = ips[i] ?? '';
    if (ip === '') ips[i] = await allocator.allocateNextIP(families[i] ?? '');
    else {
      const problem = await allocator.allocateIP(ip);
      const given = [...textsIn(spec, 'clusterIPs')];
      if (problem) throw invalidService(name, path('spec', 'clusterIPs'), given, `failed to allocate IP ${ip}: ${problem}`);
    }
  }
  const [first] = ips;
  if (first === undefined) return;
  spec.clusterIPs = ips;
  if (!before) spec.clusterIP = first;
}

function invalidService(name: string, at: FieldPath, value: ShownValue, problem: string): StatusError {
  const errors = new FieldErrors();
  errors.invalid(at, value, problem);
  return StatusError.invalid({ group: '', kind: 'Service' }, name, errors);
}

async function allocateNodePorts(
  name: string,
  spec: JsonObject,
  oldSpec: JsonObject | undefined,
  allocator: ServiceAllocator,
): Promise<void> {
  if (spec.type !== 'NodePort' && spec.type !== 'LoadBalancer') return;
  const take = async (nodePort: number, i: number) => {
    const problem = await allocator.allocatePort(nodePort);
    if (problem) throw invalidService(name, path('spec', 'ports').index(i).child('nodePort'), nodePort, problem);
  };
  if (oldSpec) await updateNodePorts(spec, oldSpec, allocator, take);
  else await createNodePorts(spec, allocator, take);
}

type Take = (nodePort: number, i: number) => Promise<void>;

/** Service ports with the same number and different protocols share a node port. */
async function createNodePorts(spec: JsonObject, allocator: ServiceAllocator, take: Take): Promise<void> {
  const ports = objectsIn(spec, 'ports');
  const shared = new Map<number, number>();
  const requested = new Map(
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
      const requestedPort = requested.get(number);
      if (requestedPort) await take(requestedPort, i);
      port.nodePort = requestedPort || (await allocator.allocateNextPort('nodePort'));
      shared.set(number, port.nodePort);
    } else if (!port.nodePort) port.nodePort = known;
    else if (port.nodePort !== known) await take(numberIn(port, 'nodePort'), i);
  }
}

async function updateNodePorts(spec: JsonObject, oldSpec: JsonObject, allocator: ServiceAllocator, take: Take): Promise<void> {
  const had = new Set(nodePortsOf(oldSpec));
  for (const [i, port] of objectsIn(spec, 'ports').entries()) {
    const requestedPort = numberIn(port, 'nodePort');
    if (requestedPort === 0) {
      if (allocatesNodePorts(spec)) port.nodePort = await allocator.allocateNextPort('nodePort');
    } else if (!had.has(requestedPort)) {
      await take(requestedPort, i);
      had.add(requestedPort);
    }
  }
}

async function allocateHealthCheckPort(
  spec: JsonObject,
  oldSpec: JsonObject | undefined,
  allocator: ServiceAllocator,
): Promise<void> {
  if (!needsHealthCheckPort(spec) || (oldSpec && needsHealthCheckPort(oldSpec))) return;
  const requestedPort = numberIn(spec, 'healthCheckNodePort');
  if (requestedPort === 0) {
    spec.healthCheckNodePort = await allocator.allocateNextPort('HealthCheck NodePort 0');
    return;
  }
  const problem = await allocator.allocatePort(requestedPort);
  if (problem) throw StatusError.internalError(`failed to allocate requested HealthCheck NodePort ${requestedPort}: ${problem}`);
}
