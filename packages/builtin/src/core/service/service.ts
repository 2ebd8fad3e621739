import {
  ageColumn,
  type Column,
  column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import {
  type JsonObject,
  type KubeObject,
  mapIn,
  nameIsDNSLabel,
  numberIn,
  objectIn,
  objectsIn,
  path,
  textIn,
  textsIn,
  warningsForCidr,
  warningsForIP,
} from '@tsukube/machinery';
import { specOf } from '../../common/objects.ts';
import { proxySubresource } from '../../common/proxy-subresource.ts';
import { schemaOf } from '../../common/schema.ts';
import { formatLabels } from '../pod-spec/columns.ts';
import { allocateForService } from './allocation.ts';
import { ingressOf, loadBalancerAddresses, validateLoadBalancerStatus } from './load-balancer-status.ts';
import { releaseService } from './service-allocator.ts';
import { proxyToService } from './service-proxy.ts';
import { defaultServiceRanges, type ServiceRanges } from './service-ranges.ts';
import { defaultService, dropInternalTrafficPolicy, dropTypeDependentFields } from './service-strategy.ts';
import { validateService, validateServiceUpdate } from './service-validation.ts';

const type = 'io.k8s.api.core.v1.ServiceSpec';

const serviceColumns: readonly Column[] = [
  nameColumn,
  column('Type', { type, field: 'type' }, (object) => textIn(specOf(object), 'type')),
  column('Cluster-IP', { type, field: 'clusterIP' }, (object) => textsIn(specOf(object), 'clusterIPs')[0] ?? '<none>'),
  column('External-IP', { type, field: 'externalIPs' }, externalAddresses),
  column('Port(s)', { type, field: 'ports' }, (object) => portsCell(specOf(object))),
  ageColumn,
  column('Selector', { type, field: 'selector' }, (object) => formatLabels(mapIn(specOf(object), 'selector')), { priority: 1 }),
];

const v1: ServedVersion = {
  group: '',
  version: 'v1',
  schema: schemaOf('core.v1.Service'),
  columns: serviceColumns,
  selectableFields: {
    'spec.clusterIP': (object) => textIn(objectIn(object, 'spec'), 'clusterIP'),
    'spec.type': (object) => textIn(objectIn(object, 'spec'), 'type'),
  },
};

/** The kind Service, with cluster IPs and node ports allocated from `ranges`. */
export function service(ranges: ServiceRanges = defaultServiceRanges): Resource {
  return {
    names: {
      plural: 'services',
      singular: 'service',
      kind: 'Service',
      listKind: 'ServiceList',
      shortNames: ['svc'],
      categories: ['all'],
    },
    scope: 'Namespaced',
    storagePrefix: '/registry/services/specs',
    hub: v1,
    versions: [v1],
    verbs: storedVerbs,
    subresources: {
      status: statusSubresource(validateLoadBalancerStatus, {
        reserve: undefined,
        warnings: (object) =>
          ingressOf(object).flatMap((point, i) =>
            warningsForIP(textIn(point, 'ip'), path('status', 'loadBalancer', 'ingress').index(i)),
          ),
      }),
      proxy: proxySubresource('ServiceProxyOptions', proxyToService),
    },
    strategy: {
      returnDeletedObject: true,
      allowCreateOnUpdate: true,
      validateName: nameIsDNSLabel,
      applyDefaults: defaultService,
      reserve: (object, old, objects, dryRun) => allocateForService(object, old, objects, ranges, dryRun),
      afterRemove: (object, objects) => releaseService(object, objects, ranges),
      prepareForCreate(object) {
        object.status = { loadBalancer: {} };
        dropInternalTrafficPolicy(specOf(object));
      },
      prepareForUpdate(object, old) {
        object.status = old.status ?? { loadBalancer: {} };
        const spec = specOf(object);
        dropInternalTrafficPolicy(spec);
        dropTypeDependentFields(spec, specOf(old));
        if (spec.type !== 'LoadBalancer') object.status = { ...objectIn(object, 'status'), loadBalancer: {} };
      },
      validateCreate: (object, errors) => validateService(object, undefined, errors),
      validateUpdate(object, old, errors) {
        validateServiceUpdate(specOf(object), specOf(old), errors);
        validateService(object, old, errors);
      },
      warnings: serviceWarnings,
    },
  };
}

function externalAddresses(object: KubeObject): string {
  const spec = specOf(object);
  const given = textsIn(spec, 'externalIPs');
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return given.join(',') || '<none>';
    case 'LoadBalancer':
      return [...loadBalancerAddresses(objectIn(object, 'status')), ...given].join(',') || '<pending>';
    case 'ExternalName':
      return textIn(spec, 'externalName');
    default:
      return '<unknown>';
  }
}

function portsCell(spec: JsonObject): string {
  const ports = objectsIn(spec, 'ports').map((port) => {
    const nodePort = numberIn(port, 'nodePort');
    return `${numberIn(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${textIn(port, 'protocol')}`;
  });
  return ports.join(',') || '<none>';
}

const specPath = path('spec');
const topologyHints = 'service.kubernetes.io/topology-aware-hints';

export function serviceWarnings(object: KubeObject): readonly string[] {
  const spec = specOf(object);
  const headless = spec.type === 'ClusterIP' && spec.clusterIP === 'None';
  const warnings: string[] = [];
  if (mapIn(object.metadata, 'annotations')[topologyHints] !== undefined)
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
