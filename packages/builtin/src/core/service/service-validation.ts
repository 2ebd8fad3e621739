import {
  type FieldErrors,
  isDNS1123Subdomain,
  isQualifiedName,
  type JsonObject,
  type KubeObject,
  mapIn,
  numberIn,
  objectIn,
  objectsIn,
  path,
  textIn,
  textsIn,
  validateLabels,
  validateLegacyCidr,
  validateLegacyIP,
} from '@tsukube/machinery';
import { isPortNumber, report, requireOneOf, validateEnum } from '../../common/field-validation.ts';
import { specOf } from '../../common/objects.ts';
import { validateClusterIPs } from './cluster-ip-validation.ts';
import { validateEndpointIP } from './endpoints.ts';
import { validateDuplicatePorts, validateServicePorts } from './service-port-validation.ts';
import { isExternallyAccessible, isHeadless, needsHealthCheckPort } from './service-strategy.ts';

const specPath = path('spec');
const annotationsPath = path('metadata', 'annotations');
const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const affinities = ['ClientIP', 'None'];
const trafficPolicies = ['Cluster', 'Local'];
const trafficDistributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const maxAffinitySeconds = 86_400;
const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";

export function validateService(object: KubeObject, old: KubeObject | undefined, errors: FieldErrors): void {
  const spec = specOf(object);
  const oldSpec = objectIn(old, 'spec');
  validateTopologyAnnotations(object, errors);
  validateByType(spec, errors);
  validateServicePorts(spec, errors);
  validateLabels(mapIn(spec, 'selector'), specPath.child('selector'), errors);
  validateAffinity(spec, errors);
  validateClusterIPs(spec, oldSpec, errors);
  validateExternalIPs(textsIn(spec, 'externalIPs'), new Set(textsIn(oldSpec, 'externalIPs')), errors);
  requireOneOf(textIn(spec, 'type'), types, specPath.child('type'), errors);
  validateDuplicatePorts(spec, errors);
  validateSourceRanges(object, old, errors);
  if (spec.allocateLoadBalancerNodePorts !== undefined && spec.type !== 'LoadBalancer')
    errors.forbidden(specPath.child('allocateLoadBalancerNodePorts'), onlyLoadBalancer);
  validateLoadBalancerClass(spec, errors);
  validateTrafficPolicies(spec, errors);
}

const topologyMode = 'service.kubernetes.io/topology-mode';
const topologyHints = 'service.kubernetes.io/topology-aware-hints';

function validateTopologyAnnotations(object: KubeObject, errors: FieldErrors): void {
  const annotations = mapIn(object.metadata, 'annotations');
  const [mode, hints] = [annotations[topologyMode], annotations[topologyHints]];
  if (mode === undefined || hints === undefined || mode === hints) return;
  errors.invalid(annotationsPath.key(topologyMode), mode, `must match annotations[${topologyHints}] when both are specified`);
}

function validateByType(spec: JsonObject, errors: FieldErrors): void {
  const { type } = spec;
  if (objectsIn(spec, 'ports').length === 0 && !isHeadless(spec) && type !== 'ExternalName')
    errors.required(specPath.child('ports'));
  if (type === 'ExternalName') validateExternalName(spec, errors);
  else if (isHeadless(spec) && (type === 'LoadBalancer' || type === 'NodePort'))
    errors.invalid(specPath.child('clusterIPs').index(0), 'None', `may not be set to 'None' for ${type} services`);
}

function validateExternalName(spec: JsonObject, errors: FieldErrors): void {
  const unset = 'may not be set for ExternalName services';
  if (textsIn(spec, 'clusterIPs').length > 0) errors.forbidden(specPath.child('clusterIPs'), unset);
  if (textsIn(spec, 'ipFamilies').length > 0) errors.forbidden(specPath.child('ipFamilies'), unset);
  if (spec.ipFamilyPolicy !== undefined) errors.forbidden(specPath.child('ipFamilyPolicy'), unset);
  const name = textIn(spec, 'externalName').replace(/\.$/, '');
  if (name === '') errors.required(specPath.child('externalName'));
  else report(isDNS1123Subdomain(name), specPath.child('externalName'), name, errors);
}

function validateAffinity(spec: JsonObject, errors: FieldErrors): void {
  const affinity = textIn(spec, 'sessionAffinity');
  requireOneOf(affinity, affinities, specPath.child('sessionAffinity'), errors);
  if (affinity !== 'ClientIP') return;
  const at = specPath.child('sessionAffinityConfig', 'clientIP', 'timeoutSeconds');
  const seconds = numberIn(objectIn(objectIn(spec, 'sessionAffinityConfig'), 'clientIP'), 'timeoutSeconds');
  if (seconds <= 0 || seconds > maxAffinitySeconds)
    errors.invalid(at, seconds, `must be greater than 0 and less than ${maxAffinitySeconds}`);
}

function validateExternalIPs(ips: readonly string[], before: ReadonlySet<string>, errors: FieldErrors): void {
  for (const [i, ip] of ips.entries()) {
    const at = specPath.child('externalIPs').index(i);
    const found = errors.length;
    validateLegacyIP(ip, at, errors, before);
    if (errors.length === found) validateEndpointIP(ip, at, errors);
  }
}

const sourceRanges = 'service.beta.kubernetes.io/load-balancer-source-ranges';

/** From spec.loadBalancerSourceRanges, or from the annotation that preceded it. */
function validateSourceRanges(object: KubeObject, old: KubeObject | undefined, errors: FieldErrors): void {
  const spec = objectIn(object, 'spec');
  const ranges = textsIn(spec, 'loadBalancerSourceRanges').map((range) => range.trim());
  const annotated = mapIn(object.metadata, 'annotations')[sourceRanges];
  const inField = ranges.length > 0;
  if (!inField && annotated === undefined) return;
  const at = inField ? specPath.child('LoadBalancerSourceRanges') : annotationsPath.key(sourceRanges);
  if (spec?.type !== 'LoadBalancer') errors.forbidden(at, onlyLoadBalancer);
  const before = new Set(textsIn(objectIn(old, 'spec'), 'loadBalancerSourceRanges').map((range) => range.trim()));
  if (inField) for (const [i, range] of ranges.entries()) validateLegacyCidr(range, at.index(i), errors, before);
  else if (!old || mapIn(old.metadata, 'annotations')[sourceRanges] !== annotated) {
    const text = (annotated ?? '').trim();
    if (text !== '') for (const range of text.split(',')) validateLegacyCidr(range.trim(), at, errors);
  }
}

function validateLoadBalancerClass(spec: JsonObject, errors: FieldErrors): void {
  const at = specPath.child('loadBalancerClass');
  const { loadBalancerClass } = spec;
  if (loadBalancerClass === undefined) return;
  if (spec.type === 'LoadBalancer') report(isQualifiedName(textIn(spec, 'loadBalancerClass')), at, loadBalancerClass, errors);
  else errors.forbidden(at, onlyLoadBalancer);
}

function validateTrafficPolicies(spec: JsonObject, errors: FieldErrors): void {
  const external = textIn(spec, 'externalTrafficPolicy');
  const at = specPath.child('externalTrafficPolicy');
  if (isExternallyAccessible(spec)) requireOneOf(external, trafficPolicies, at, errors);
  else if (external !== '') errors.invalid(at, external, 'may only be set for externally-accessible services');
  validateHealthCheckPort(spec, errors);
  const internal = spec.internalTrafficPolicy;
  validateEnum(internal, trafficPolicies, specPath.child('internalTrafficPolicy'), errors);
  const distribution = spec.trafficDistribution;
  validateEnum(distribution, trafficDistributions, specPath.child('trafficDistribution'), errors);
}

function validateHealthCheckPort(spec: JsonObject, errors: FieldErrors): void {
  const port = numberIn(spec, 'healthCheckNodePort');
  const at = specPath.child('healthCheckNodePort');
  if (needsHealthCheckPort(spec)) {
    if (port === 0) errors.required(at);
    else report(isPortNumber(port), at, port, errors);
  } else if (port !== 0)
    errors.invalid(at, port, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
}

const unchangeable = 'may not change once set';
const policyPath = path('spec', 'ipFamilyPolicy');

/** Validates immutable fields. */
export function validateServiceUpdate(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  if (spec.type !== 'ExternalName' && oldSpec.type !== 'ExternalName') {
    validateAddressChange(spec, oldSpec, errors);
    validateFamilyChange(spec, oldSpec, errors);
  }
  validateClassChange(spec, oldSpec, errors);
  // Kubernetes validates the class twice and reports its errors twice.
  validateLoadBalancerClass(spec, errors);
  const bothCheck = needsHealthCheckPort(spec) && needsHealthCheckPort(oldSpec);
  if (bothCheck && spec.healthCheckNodePort !== oldSpec.healthCheckNodePort)
    errors.forbidden(path('spec', 'healthCheckNodePort'), 'field is immutable');
}

/** The primary cluster IP is immutable; the secondary may be added and released. */
function validateAddressChange(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  if (isHeadless(spec) && isHeadless(oldSpec)) return;
  const at = path('spec', 'clusterIPs');
  const [ips, old] = [textsIn(spec, 'clusterIPs'), textsIn(oldSpec, 'clusterIPs')];
  if (ips.length === old.length) {
    const value = [...ips];
    for (const [i, ip] of old.entries()) if (ip !== ips[i]) errors.invalid(at.index(i), value, unchangeable);
    return;
  }
  if (ips.length === 0) errors.invalid(at.index(0), [...ips], 'primary clusterIP can not be unset');
  if (ips.length > 0 && old.length > 0 && ips[0] !== old[0]) errors.invalid(at.index(0), [...ips], unchangeable);
  if (old.length > 1 && ips.length === 1) requireSingleStack(spec, 'clusterIP', errors);
}

function validateFamilyChange(spec: JsonObject, oldSpec: JsonObject, errors: FieldErrors): void {
  if (isHeadless(spec) || isHeadless(oldSpec)) return;
  const at = path('spec', 'ipFamilies').index(0);
  const [families, old] = [textsIn(spec, 'ipFamilies'), textsIn(oldSpec, 'ipFamilies')];
  const ips = textsIn(spec, 'clusterIPs');
  if (families.length === old.length) {
    const value = [...families];
    for (const [i, family] of old.entries()) if (family !== families[i]) errors.invalid(at, value, unchangeable);
    return;
  }
  if (families.length < old.length && ips.length === 0) errors.invalid(at, [...families], 'primary ipFamily can not be unset');
  if (families.length > 0 && old.length > 0 && families[0] !== old[0]) errors.invalid(at, [...ips], unchangeable);
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
