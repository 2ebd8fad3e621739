import { type JsonObject, numberIn, objectsIn, textIn, textsIn } from '@tsukube/machinery';
import { isExternallyAccessible, needsHealthCheckPort } from './service-defaults.ts';

export function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

function needsAddress(spec: JsonObject): boolean {
  return spec.type !== 'ExternalName';
}

function usesNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

/** Whether ports of nodes are given even if nobody asks for a certain one. */
export function allocatesNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** A service that prefers two stacks keeps what it has until it is told otherwise. */
export function keepsDualStack(spec: JsonObject, oldSpec: JsonObject | undefined): boolean {
  if (!oldSpec || spec.ipFamilyPolicy !== 'PreferDualStack' || oldSpec.type !== spec.type || !needsAddress(spec)) return false;
  if ((oldSpec.ipFamilyPolicy ?? 'PreferDualStack') !== 'PreferDualStack') return false;
  return ['clusterIPs', 'ipFamilies'].every((field) => sameTexts(textsIn(spec, field), textsIn(oldSpec, field)));
}

/** What the server has given once need not be repeated by clients. */
export function carryOverAllocated(spec: JsonObject, oldSpec: JsonObject): void {
  if (needsAddress(oldSpec) && needsAddress(spec)) {
    if (textIn(spec, 'clusterIP') === '' && oldSpec.clusterIP !== undefined) spec.clusterIP = oldSpec.clusterIP;
    const before = textsIn(oldSpec, 'clusterIPs');
    if (textsIn(spec, 'clusterIPs').length === 0 && before.length > 0) spec.clusterIPs = [...before];
  }
  if (allocatesNodePorts(oldSpec) && allocatesNodePorts(spec)) carryOverNodePorts(spec, oldSpec);
  if (needsHealthCheckPort(oldSpec) && needsHealthCheckPort(spec) && !spec.healthCheckNodePort && oldSpec.healthCheckNodePort)
    spec.healthCheckNodePort = oldSpec.healthCheckNodePort;
}

export function nodePortsOf(spec: JsonObject | undefined): readonly number[] {
  return objectsIn(spec, 'ports')
    .map((port) => numberIn(port, 'nodePort'))
    .filter((port) => port !== 0);
}

/** By the names of ports; those that stand at another port now are left alone. */
function carryOverNodePorts(spec: JsonObject, oldSpec: JsonObject): void {
  const given = new Set(nodePortsOf(spec));
  const before = new Map(objectsIn(oldSpec, 'ports').map((port) => [textIn(port, 'name'), numberIn(port, 'nodePort')]));
  for (const port of objectsIn(spec, 'ports')) {
    const nodePort = before.get(textIn(port, 'name')) ?? 0;
    if (!port.nodePort && nodePort !== 0 && !given.has(nodePort)) port.nodePort = nodePort;
  }
}

/** Old clients know one address only: the list follows it where they did not touch the list. */
export function alignClusterIPs(spec: JsonObject, oldSpec: JsonObject | undefined): void {
  const ip = textIn(spec, 'clusterIP');
  const ips = textsIn(spec, 'clusterIPs');
  if (!oldSpec) {
    if (ip !== '' && ips.length === 0) spec.clusterIPs = [ip];
    return;
  }
  const before = textsIn(oldSpec, 'clusterIPs');
  const same = ip === textIn(oldSpec, 'clusterIP');
  if (same && before.length > 0 && ips.length === 0) spec.clusterIPs = [...before];
  else if (!same && sameTexts(ips, before)) {
    if (ip === '') delete spec.clusterIPs;
    else spec.clusterIPs = [ip];
  }
}

/** Gives up what a service of its new type has no use for, unless the client has set it in the same breath. */
export function dropUnusedFields(spec: JsonObject, oldSpec: JsonObject): void {
  if (needsAddress(oldSpec) && !needsAddress(spec)) dropAddresses(spec, oldSpec);
  if (usesNodePorts(oldSpec) && !usesNodePorts(spec)) {
    const before = new Set(nodePortsOf(oldSpec));
    if (nodePortsOf(spec).every((port) => before.has(port))) for (const port of objectsIn(spec, 'ports')) delete port.nodePort;
  }
  const drop = (field: string) => {
    if (spec[field] === oldSpec[field]) delete spec[field];
  };
  if (needsHealthCheckPort(oldSpec) && !needsHealthCheckPort(spec)) drop('healthCheckNodePort');
  if (oldSpec.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    drop('allocateLoadBalancerNodePorts');
    drop('loadBalancerClass');
  }
  if (isExternallyAccessible(oldSpec) && !isExternallyAccessible(spec)) drop('externalTrafficPolicy');
}

/** Where there is no traffic of our own there is no policy for it. */
export function dropTrafficPolicy(spec: JsonObject): void {
  const policy = spec.internalTrafficPolicy;
  if (spec.type === 'ExternalName' && (policy === 'Cluster' || policy === 'Local')) delete spec.internalTrafficPolicy;
}

function dropAddresses(spec: JsonObject, oldSpec: JsonObject): void {
  const same = (field: string) => sameTexts(textsIn(spec, field), textsIn(oldSpec, field));
  if (same('clusterIPs') && textIn(spec, 'clusterIP') === textIn(oldSpec, 'clusterIP')) {
    delete spec.clusterIP;
    delete spec.clusterIPs;
  }
  if (same('ipFamilies')) delete spec.ipFamilies;
  if (spec.ipFamilyPolicy === oldSpec.ipFamilyPolicy) delete spec.ipFamilyPolicy;
}
