import { fillIn, type JsonObject, type KubeObject, numberIn, objectIn, objectsIn, textIn, textsIn } from '@tsukube/machinery';
import { specOf } from '../../common/objects.ts';

const defaultAffinitySeconds = 10_800;

export function defaultService(object: KubeObject): void {
  object.spec ??= {};
  const spec = specOf(object);
  defaultAffinity(spec);
  fillIn(spec, 'type', 'ClusterIP');
  for (const port of objectsIn(spec, 'ports')) {
    fillIn(port, 'protocol', 'TCP');
    fillIn(port, 'targetPort', port.port ?? 0);
  }
  if (isExternallyAccessible(spec)) fillIn(spec, 'externalTrafficPolicy', 'Cluster');
  const { type } = spec;
  if (type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP') spec.internalTrafficPolicy ??= 'Cluster';
  if (type !== 'LoadBalancer') return;
  spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of objectsIn(objectIn(objectIn(object, 'status'), 'loadBalancer'), 'ingress')) {
    if (textIn(ingress, 'ip') !== '') ingress.ipMode ??= 'VIP';
  }
}

function defaultAffinity(spec: JsonObject): void {
  fillIn(spec, 'sessionAffinity', 'None');
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity !== 'ClientIP') return;
  const clientIP = objectIn(objectIn(spec, 'sessionAffinityConfig'), 'clientIP');
  if (clientIP?.timeoutSeconds === undefined)
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: defaultAffinitySeconds } };
}

/** Whether the service is reachable from outside the cluster. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  const { type } = spec;
  return type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && textsIn(spec, 'externalIPs').length > 0);
}

/** Whether a health check node port tells load balancers which nodes have endpoints. */
export function needsHealthCheckPort(spec: JsonObject): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}

export function isHeadless(spec: JsonObject): boolean {
  const ips = textsIn(spec, 'clusterIPs');
  return ips.length === 1 && ips[0] === 'None';
}

export function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((text, i) => text === b[i]);
}

function needsAddress(spec: JsonObject): boolean {
  return spec.type !== 'ExternalName';
}

function usesNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

/** Whether every port of the service gets a node port, requested or not. */
export function allocatesNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

/** A PreferDualStack service keeps its cluster IPs and families unless the update changes them. */
export function keepsDualStack(spec: JsonObject, oldSpec: JsonObject | undefined): boolean {
  if (!oldSpec || spec.ipFamilyPolicy !== 'PreferDualStack' || oldSpec.type !== spec.type || !needsAddress(spec)) return false;
  if ((oldSpec.ipFamilyPolicy ?? 'PreferDualStack') !== 'PreferDualStack') return false;
  return ['clusterIPs', 'ipFamilies'].every((field) => sameTexts(textsIn(spec, field), textsIn(oldSpec, field)));
}

/** Restores allocated cluster IPs and ports that an update leaves out. */
export function patchAllocatedValues(spec: JsonObject, oldSpec: JsonObject): void {
  if (needsAddress(oldSpec) && needsAddress(spec)) {
    if (textIn(spec, 'clusterIP') === '' && oldSpec.clusterIP !== undefined) spec.clusterIP = oldSpec.clusterIP;
    const before = textsIn(oldSpec, 'clusterIPs');
    if (textsIn(spec, 'clusterIPs').length === 0 && before.length > 0) spec.clusterIPs = [...before];
  }
  if (allocatesNodePorts(oldSpec) && allocatesNodePorts(spec)) patchNodePorts(spec, oldSpec);
  if (needsHealthCheckPort(oldSpec) && needsHealthCheckPort(spec) && !spec.healthCheckNodePort && oldSpec.healthCheckNodePort)
    spec.healthCheckNodePort = oldSpec.healthCheckNodePort;
}

export function nodePortsOf(spec: JsonObject | undefined): readonly number[] {
  return objectsIn(spec, 'ports')
    .map((port) => numberIn(port, 'nodePort'))
    .filter((port) => port !== 0);
}

/** Matches ports by name; skips node ports that the update assigns to another port. */
function patchNodePorts(spec: JsonObject, oldSpec: JsonObject): void {
  const given = new Set(nodePortsOf(spec));
  const before = new Map(objectsIn(oldSpec, 'ports').map((port) => [textIn(port, 'name'), numberIn(port, 'nodePort')]));
  for (const port of objectsIn(spec, 'ports')) {
    const nodePort = before.get(textIn(port, 'name')) ?? 0;
    if (!port.nodePort && nodePort !== 0 && !given.has(nodePort)) port.nodePort = nodePort;
  }
}

/** Keeps clusterIPs in step with clusterIP for clients that only know clusterIP. */
export function normalizeClusterIPs(spec: JsonObject, oldSpec: JsonObject | undefined): void {
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

/** Clears fields that do not apply to the new type, unless the update changes them. */
export function dropTypeDependentFields(spec: JsonObject, oldSpec: JsonObject): void {
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

/** ExternalName services have no internalTrafficPolicy. */
export function dropInternalTrafficPolicy(spec: JsonObject): void {
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
