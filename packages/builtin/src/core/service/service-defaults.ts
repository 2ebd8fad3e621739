import { fillIn, type JsonObject, type KubeObject, objectIn, objectsIn, textIn, textsIn } from '@tsukube/machinery';
import { specOf } from '../../common/spec.ts';

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
