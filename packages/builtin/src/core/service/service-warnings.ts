import {
  type JsonObject,
  mapIn,
  metadataOf,
  objectIn,
  path,
  textIn,
  textsIn,
  warningsForCidr,
  warningsForIP,
} from '@tsukube/machinery';

const specPath = path('spec');
const topologyHints = 'service.kubernetes.io/topology-aware-hints';

export function serviceWarnings(object: JsonObject): readonly string[] {
  const spec = objectIn(object, 'spec') ?? {};
  const headless = spec.type === 'ClusterIP' && spec.clusterIP === 'None';
  const warnings: string[] = [];
  if (mapIn(metadataOf(object), 'annotations')[topologyHints] !== undefined)
    warnings.push(`annotation ${topologyHints} is deprecated, please use service.kubernetes.io/topology-mode instead`);
  for (const [i, ip] of textsIn(spec, 'clusterIPs').entries())
    warnings.push(...warningsForIP(ip, specPath.child('clusterIPs').index(i)));
  if (headless) warnings.push(...ignoredWhenHeadless(spec));
  for (const warning of externalIPWarnings(spec, headless)) warnings.push(warning);
  const balancer = textIn(spec, 'loadBalancerIP');
  if (balancer !== '') warnings.push(...warningsForIP(balancer, specPath.child('loadBalancerIP')));
  for (const [i, range] of textsIn(spec, 'loadBalancerSourceRanges').entries())
    warnings.push(...warningsForCidr(range, specPath.child('loadBalancerSourceRanges').index(i)));
  if (spec.type === 'ExternalName' && textsIn(spec, 'externalIPs').length > 0)
    warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (spec.type !== 'ExternalName' && textIn(spec, 'externalName') !== '')
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  if (spec.trafficDistribution === 'PreferClose')
    warnings.push('spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"');
  return warnings;
}

function ignoredWhenHeadless(spec: JsonObject): readonly string[] {
  const ignored: string[] = [];
  if (textIn(spec, 'loadBalancerIP') !== '') ignored.push('loadBalancerIP');
  if (textsIn(spec, 'externalIPs').length > 0) ignored.push('externalIPs');
  if (spec.sessionAffinity !== 'None') ignored.push('SessionAffinity');
  return ignored.map((field) => `spec.${field} is ignored for headless services`);
}

function externalIPWarnings(spec: JsonObject, headless: boolean): readonly string[] {
  const ips = textsIn(spec, 'externalIPs');
  const warnings = ips.flatMap((ip, i) => warningsForIP(ip, specPath.child('externalIPs').index(i)));
  if (ips.length > 0 && !headless && spec.type !== 'ExternalName')
    warnings.push('spec.externalIPs is deprecated and may no longer be implemented in some clusters');
  return warnings;
}
