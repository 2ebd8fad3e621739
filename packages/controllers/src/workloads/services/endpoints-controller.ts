import type { coreV1 } from '@tsukube/api/kinds';
import type { Cluster } from '../cluster/cluster.ts';
import { runController, type WorkloadController } from '../cluster/controller.ts';
import { isSame } from '../cluster/values.ts';
import { isReady } from '../pods/pod-state.ts';
import {
  addressOf,
  hasEndpoints,
  hasNoClusterIP,
  headlessLabel,
  hostnameOf,
  portsOf,
  selectsPod,
  servicesOf,
  shouldPodBeInEndpoints,
  targetRefOf,
} from './endpoints.ts';

type Service = coreV1.Service;
type Endpoints = coreV1.Endpoints;

const managedByLabel = 'endpoints.kubernetes.io/managed-by';
const managedBy = 'endpoint-controller';
const maxAddresses = 1000;

/** Writes the pods of services into Endpoints, the deprecated form of EndpointSlices. */
export function endpointsController(cluster: Cluster): WorkloadController {
  const services = cluster.objects('services');
  const pods = cluster.objects('pods');
  const endpoints = cluster.objects('endpoints');

  const reconcile = async (namespace: string, name: string): Promise<undefined> => {
    const service = services.get(namespace, name);
    const existing = endpoints.get(namespace, name);
    if (!service) {
      // Endpoints have no owner reference.
      if (existing?.metadata.labels?.[managedByLabel] === managedBy) await cluster.delete('endpoints', existing);
      return undefined;
    }
    if (!hasEndpoints(service)) return undefined;
    const selected = pods.list(namespace).filter((pod) => selectsPod(service, pod) && isIncluded(service, pod));
    const subsets = subsetsOf(service, selected.slice(0, maxAddresses));
    const labels = labelsOf(service);
    if (!existing) {
      await cluster.create('endpoints', {
        metadata: { name, namespace, labels },
        subsets: subsets.length > 0 ? subsets : undefined,
      });
    } else if (!isSame(subsets, existing.subsets ?? []) || !isSame(labels, existing.metadata.labels ?? {})) {
      const metadata = { ...existing.metadata, labels };
      await cluster.update('endpoints', {
        ...existing,
        metadata,
        subsets: subsets.length > 0 ? subsets : undefined,
      } as Endpoints);
    }
    return undefined;
  };
  const controller = runController(cluster, { of: services, reconcile });
  controller.watches(pods, (pod) => servicesOf(pod, services.list(pod.metadata.namespace ?? '')));
  return controller;
}

function isIncluded(service: Service, pod: coreV1.Pod): boolean {
  return (
    shouldPodBeInEndpoints(pod) &&
    (pod.metadata.deletionTimestamp === undefined || Boolean(service.spec?.publishNotReadyAddresses))
  );
}

function labelsOf(service: Service): Record<string, string> {
  const { [headlessLabel]: _, ...labels } = service.metadata.labels ?? {};
  return { ...labels, [managedByLabel]: managedBy, ...(hasNoClusterIP(service) && { [headlessLabel]: '' }) };
}

/** Addresses by their ports: ready ones, and those that are not. */
export function subsetsOf(service: Service, pods: readonly coreV1.Pod[]): coreV1.EndpointSubset[] {
  const family = service.spec?.ipFamilies?.[0] === 'IPv6' ? 'IPv6' : 'IPv4';
  const subsets = new Map<
    string,
    { ports: coreV1.EndpointPort[]; ready: coreV1.EndpointAddress[]; notReady: coreV1.EndpointAddress[] }
  >();
  for (const pod of pods) {
    const ip = addressOf(pod, family);
    if (ip === undefined) continue;
    const ports = portsOf(service, pod).map(({ name, ...port }) => ({ ...(name && { name }), ...port }) as coreV1.EndpointPort);
    if (ports.length === 0 && !hasNoClusterIP(service)) continue;
    const key = JSON.stringify(ports);
    const subset = subsets.get(key) ?? { ports, ready: [], notReady: [] };
    const isPublished = isReady(pod) || service.spec?.publishNotReadyAddresses;
    (isPublished ? subset.ready : subset.notReady).push(addressObject(service, pod, ip));
    subsets.set(key, subset);
  }
  return [...subsets.values()].map(({ ports, ready, notReady }) => ({
    ...(ready.length > 0 && { addresses: ready.sort(byAddress) }),
    ...(notReady.length > 0 && { notReadyAddresses: notReady.sort(byAddress) }),
    ...(ports.length > 0 && { ports }),
  }));
}

function addressObject(service: Service, pod: coreV1.Pod, ip: string): coreV1.EndpointAddress {
  const hostname = hostnameOf(service, pod);
  const nodeName = pod.spec?.nodeName;
  return { ip, ...(hostname !== undefined && { hostname }), ...(nodeName && { nodeName }), targetRef: targetRefOf(pod) };
}

/** By the bytes of the address, as Go compares them. */
function byAddress(a: coreV1.EndpointAddress, b: coreV1.EndpointAddress): number {
  const order = (address: string) =>
    address
      .split('.')
      .map((part) => part.padStart(3, '0'))
      .join('.');
  return order(a.ip) < order(b.ip) ? -1 : 1;
}
