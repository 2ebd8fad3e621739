import type { Column } from '@tsukube/apiserver';
import { type JsonObject, mapIn, numberIn, objectIn, objectsIn, textIn, textsIn } from '@tsukube/machinery';
import { ageColumn, column, nameColumn } from '../../common/columns.ts';
import { formatLabels } from '../pod-spec/columns.ts';

const type = 'io.k8s.api.core.v1.ServiceSpec';

export const serviceColumns: readonly Column[] = [
  nameColumn,
  column('Type', { type, field: 'type' }, (object) => textIn(specOf(object), 'type')),
  column('Cluster-IP', { type, field: 'clusterIP' }, (object) => textsIn(specOf(object), 'clusterIPs')[0] ?? '<none>'),
  column('External-IP', { type, field: 'externalIPs' }, externalAddresses),
  column('Port(s)', { type, field: 'ports' }, (object) => portsCell(specOf(object))),
  ageColumn,
  column('Selector', { type, field: 'selector' }, (object) => formatLabels(mapIn(specOf(object), 'selector')), { priority: 1 }),
];

function specOf(object: JsonObject): JsonObject {
  return objectIn(object, 'spec') ?? {};
}

function externalAddresses(object: JsonObject): string {
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

/** Addresses, or names where there is none, each once. */
export function loadBalancerAddresses(status: JsonObject | undefined): readonly string[] {
  const ingress = objectsIn(objectIn(status, 'loadBalancer'), 'ingress');
  const addresses = ingress.map((point) => textIn(point, 'ip') || textIn(point, 'hostname'));
  return [...new Set(addresses.filter((address) => address !== ''))].sort();
}

function portsCell(spec: JsonObject): string {
  const ports = objectsIn(spec, 'ports').map((port) => {
    const nodePort = numberIn(port, 'nodePort');
    return `${numberIn(port, 'port')}${nodePort > 0 ? `:${nodePort}` : ''}/${textIn(port, 'protocol')}`;
  });
  return ports.join(',') || '<none>';
}
