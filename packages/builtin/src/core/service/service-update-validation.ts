import { type FieldErrors, type JsonObject, path, textsIn } from '@tsukube/machinery';
import { shown } from './cluster-ip-validation.ts';
import { isHeadless, needsHealthCheckPort } from './service-defaults.ts';
import { validateLoadBalancerClass } from './service-validation.ts';

const unchangeable = 'may not change once set';
const policyPath = path('spec', 'ipFamilyPolicy');

/** What of a service stays as it was first set. */
export function validateServiceChanges(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  if (spec.type !== 'ExternalName' && oldSpec.type !== 'ExternalName') {
    validateAddressChange(spec, oldSpec, errors);
    validateFamilyChange(spec, oldSpec, errors);
  }
  validateClassChange(spec, oldSpec, errors);
  // Kubernetes checks the class twice, and says twice what is wrong with it.
  validateLoadBalancerClass(spec, errors);
  const bothCheck = needsHealthCheckPort(spec) && needsHealthCheckPort(oldSpec);
  if (bothCheck && spec.healthCheckNodePort !== oldSpec.healthCheckNodePort)
    errors.forbidden(path('spec', 'healthCheckNodePort'), 'field is immutable');
}

/** A second address may come and go; the first stays. */
function validateAddressChange(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  if (isHeadless(spec) && isHeadless(oldSpec)) return;
  const at = path('spec', 'clusterIPs');
  const [ips, old] = [textsIn(spec, 'clusterIPs'), textsIn(oldSpec, 'clusterIPs')];
  if (ips.length === old.length) {
    const value = shown(ips);
    for (const [i, ip] of old.entries()) if (ip !== ips[i]) errors.invalid(at.index(i), value, unchangeable);
    return;
  }
  if (ips.length === 0) errors.invalid(at.index(0), shown(ips), 'primary clusterIP can not be unset');
  if (ips.length > 0 && old.length > 0 && ips[0] !== old[0]) errors.invalid(at.index(0), shown(ips), unchangeable);
  if (old.length > 1 && ips.length === 1) requireSingleStack(spec, 'clusterIP', errors);
}

function validateFamilyChange(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  if (isHeadless(spec) || isHeadless(oldSpec)) return;
  const at = path('spec', 'ipFamilies').index(0);
  const [families, old] = [textsIn(spec, 'ipFamilies'), textsIn(oldSpec, 'ipFamilies')];
  const ips = textsIn(spec, 'clusterIPs');
  if (families.length === old.length) {
    const value = shown(families);
    for (const [i, family] of old.entries()) if (family !== families[i]) errors.invalid(at, value, unchangeable);
    return;
  }
  if (families.length < old.length && ips.length === 0) errors.invalid(at, shown(families), 'primary ipFamily can not be unset');
  if (families.length > 0 && old.length > 0 && families[0] !== old[0]) errors.invalid(at, shown(ips), unchangeable);
  if (old.length > 1 && families.length === 1) requireSingleStack(spec, 'ipFamily', errors);
}

function requireSingleStack(spec: JsonObject, released: string, errors: FieldErrors): void {
  if (spec.ipFamilyPolicy !== 'SingleStack')
    errors.invalid(policyPath, spec.ipFamilyPolicy, `must be set to 'SingleStack' when releasing the secondary ${released}`);
}

function validateClassChange(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  const both = spec.type === 'LoadBalancer' && oldSpec.type === 'LoadBalancer';
  if (both && spec.loadBalancerClass !== oldSpec.loadBalancerClass)
    errors.invalid(path('spec', 'loadBalancerClass'), spec.loadBalancerClass, unchangeable);
}
