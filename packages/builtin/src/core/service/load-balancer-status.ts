import {
  type FieldErrors,
  isDNS1123Subdomain,
  type JsonObject,
  type KubeObject,
  objectIn,
  objectsIn,
  parseAddress,
  path,
  textIn,
  validateLegacyIP,
} from '@tsukube/machinery';
import { report } from '../../common/field-validation.ts';

const ingressPath = path('status', 'loadBalancer', 'ingress');
const modes = ['Proxy', 'VIP'];

/** Validates status.loadBalancer of a service. */
export function validateLoadBalancerStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const points = ingressOf(object);
  if (objectIn(object, 'spec')?.type !== 'LoadBalancer') {
    if (points.length > 0) errors.forbidden(ingressPath, "may only be used when `spec.type` is 'LoadBalancer'");
    return;
  }
  const before = new Set(ingressOf(old).map((point) => textIn(point, 'ip')));
  for (const [i, point] of points.entries()) {
    const at = ingressPath.index(i);
    const ip = textIn(point, 'ip');
    if (ip !== '') validateLegacyIP(ip, at.child('ip'), errors, before);
    const { ipMode } = point;
    if (ipMode === undefined) {
      if (ip !== '') errors.required(at.child('ipMode'), 'must be specified when `ip` is set');
    } else if (ip === '') errors.forbidden(at.child('ipMode'), 'may not be specified when `ip` is not set');
    else if (!modes.includes(textIn(point, 'ipMode'))) errors.notSupported(at.child('ipMode'), ipMode, modes);
    const hostname = textIn(point, 'hostname');
    if (hostname === '') continue;
    report(isDNS1123Subdomain(hostname), at.child('hostname'), hostname, errors);
    if (parseAddress(hostname)) errors.invalid(at.child('hostname'), hostname, 'must be a DNS name, not an IP address');
  }
}

export function ingressOf(object: KubeObject): readonly JsonObject[] {
  return objectsIn(objectIn(objectIn(object, 'status'), 'loadBalancer'), 'ingress');
}

/** IPs of a load balancer, or hostnames where there is no IP, without duplicates. */
export function loadBalancerAddresses(status: JsonObject | undefined): readonly string[] {
  const ingress = objectsIn(objectIn(status, 'loadBalancer'), 'ingress');
  const addresses = ingress.map((point) => textIn(point, 'ip') || textIn(point, 'hostname'));
  return [...new Set(addresses.filter((address) => address !== ''))].sort();
}
