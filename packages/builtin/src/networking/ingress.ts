import {
  ageColumn,
  type Column,
  nameColumn,
  type Resource,
  type ServedVersion,
  statusSubresource,
  storedVerbs,
} from '@tsukube/apiserver';
import { type KubeObject, mapIn, objectIn, objectsIn, path, textIn, warningsForIP } from '@tsukube/machinery';
import { schemaOf } from '../common/schema.ts';
import { ingressOf, loadBalancerAddresses } from '../core/service/load-balancer-status.ts';
import { classAnnotation, validateIngressCreate, validateIngressStatus, validateIngressUpdate } from './ingress-validation.ts';

const columns: readonly Column[] = [
  nameColumn,
  {
    name: 'Class',
    type: 'string',
    description: 'The name of the IngressClass resource that should be used for additional configuration',
    value: (object) => (objectIn(object, 'spec')?.ingressClassName as string | undefined) ?? '<none>',
  },
  {
    name: 'Hosts',
    type: 'string',
    description: 'Hosts that incoming requests are matched against before the ingress rule',
    value: hostsCell,
  },
  {
    name: 'Address',
    type: 'string',
    description: 'Address is a list containing ingress points for the load-balancer',
    value: (object) => loadBalancerAddresses(objectIn(object, 'status')).join(','),
  },
  {
    name: 'Ports',
    type: 'string',
    description: 'Ports of TLS configurations that open',
    value: (object) => (objectsIn(objectIn(object, 'spec'), 'tls').length > 0 ? '80, 443' : '80'),
  },
  ageColumn,
];

const v1: ServedVersion = { group: 'networking.k8s.io', version: 'v1', schema: schemaOf('networking.v1.Ingress'), columns };

export const ingress: Resource = {
  names: { plural: 'ingresses', singular: 'ingress', kind: 'Ingress', listKind: 'IngressList', shortNames: ['ing'] },
  scope: 'Namespaced',
  storagePrefix: '/registry/ingress',
  hub: v1,
  versions: [v1],
  verbs: storedVerbs,
  subresources: {
    status: statusSubresource(validateIngressStatus, {
      warnings: (object) =>
        ingressOf(object).flatMap((point, i) =>
          warningsForIP(textIn(point, 'ip'), path('status', 'loadBalancer', 'ingress').index(i)),
        ),
    }),
  },
  strategy: {
    generation: true,
    prepareForCreate(object) {
      object.status = { loadBalancer: {} };
    },
    prepareForUpdate(object, old) {
      object.status = old.status ?? { loadBalancer: {} };
    },
    validateCreate: validateIngressCreate,
    validateUpdate: validateIngressUpdate,
    warnings(object, old) {
      const annotated = mapIn(object.metadata, 'annotations')[classAnnotation] !== undefined;
      if (old || !annotated || objectIn(object, 'spec')?.ingressClassName !== undefined) return [];
      return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
    },
  },
};

const shownHosts = 3;

function hostsCell(object: KubeObject): string {
  const rules = objectsIn(objectIn(object, 'spec'), 'rules');
  const hosts: string[] = [];
  let more = false;
  for (const rule of rules) {
    if (hosts.length === shownHosts) more = true;
    else if (textIn(rule, 'host') !== '') hosts.push(textIn(rule, 'host'));
  }
  if (hosts.length === 0) return '*';
  return more ? `${hosts.join(',')} + ${rules.length - shownHosts} more...` : hosts.join(',');
}
