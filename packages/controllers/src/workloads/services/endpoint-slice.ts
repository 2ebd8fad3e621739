import type { coreV1, discoveryV1 } from '@tsukube/api/kinds';
import type { Cluster } from '../cluster/cluster.ts';
import { runController, type WorkloadController } from '../cluster/controller.ts';
import { isSame } from '../cluster/values.ts';
import { controllerRef } from '../pods/ownership.ts';
import {
  type AddressType,
  addressOf,
  endpointOf,
  hasEndpoints,
  hasNoClusterIP,
  headlessLabel,
  portsOf,
  selectsPod,
  servicesOf,
  shouldPodBeInEndpoints,
} from './endpoints.ts';

type Service = coreV1.Service;
type EndpointSlice = discoveryV1.EndpointSlice;
type Endpoint = discoveryV1.Endpoint;

const managedBy = 'endpointslice-controller.k8s.io';
const serviceLabel = 'kubernetes.io/service-name';
const managedByLabel = 'endpointslice.kubernetes.io/managed-by';
const reserved = new Set([serviceLabel, managedByLabel, headlessLabel]);
const maxEndpoints = 100;

/** Writes the pods of services into EndpointSlices. */
export function endpointSliceController(cluster: Cluster): WorkloadController {
  const services = cluster.objects('services');
  const pods = cluster.objects('pods');
  const nodes = cluster.objects('nodes');
  const slices = cluster.objects('endpointslices');
  const slicesOf = slices.index(({ metadata }) =>
    metadata.labels?.[managedByLabel] === managedBy ? `${metadata.namespace}/${metadata.labels[serviceLabel]}` : undefined,
  );

  const zoneOf = (pod: coreV1.Pod) => nodes.get('', pod.spec?.nodeName ?? '')?.metadata.labels?.['topology.kubernetes.io/zone'];
  const reconcile = async (namespace: string, name: string): Promise<undefined> => {
    const service = services.get(namespace, name);
    const existing = slicesOf(`${namespace}/${name}`);
    // Slices of a service that is gone are left to the garbage collector.
    if (!service || !hasEndpoints(service)) return undefined;
    const selected = pods.list(namespace).filter((pod) => selectsPod(service, pod) && shouldPodBeInEndpoints(pod));
    const families = (service.spec?.ipFamilies ?? ['IPv4']) as AddressType[];
    const desired = families.flatMap((type) => portGroups(service, selected, type, zoneOf));
    const changes = planSlices(service, desired, existing);
    await Promise.all(changes.deleted.map((slice) => cluster.delete('endpointslices', slice, { uid: slice.metadata.uid })));
    for (const slice of changes.updated) await cluster.update('endpointslices', slice);
    for (const slice of changes.created) await cluster.create('endpointslices', slice);
    return undefined;
  };
  const controller = runController(cluster, { of: services, reconcile });
  controller.watches(pods, (pod) => servicesOf(pod, services.list(pod.metadata.namespace ?? '')));
  controller.watches(slices, ({ metadata }) => {
    const name = metadata.labels?.[serviceLabel];
    return name === undefined ? [] : [`${metadata.namespace}/${name}`];
  });
  return controller;
}

/** Endpoints that have the same ports share slices. */
export interface PortGroup {
  readonly type: AddressType;
  readonly ports: readonly discoveryV1.EndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The groups of a service; one without endpoints if it has none. */
function portGroups(
  service: Service,
  pods: readonly coreV1.Pod[],
  type: AddressType,
  zoneOf: (pod: coreV1.Pod) => string | undefined,
): PortGroup[] {
  const groups = new Map<string, { type: AddressType; ports: discoveryV1.EndpointPort[]; endpoints: Endpoint[] }>();
  for (const pod of pods) {
    if (addressOf(pod, type) === undefined) continue;
    const ports = portsOf(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { type, ports, endpoints: [] };
    group.endpoints.push(endpointOf(service, pod, type, zoneOf(pod)));
    groups.set(key, group);
  }
  return groups.size > 0 ? [...groups.values()] : [{ type, ports: [], endpoints: [] }];
}

interface SliceChanges {
  readonly created: Omit<EndpointSlice, 'apiVersion' | 'kind'>[];
  readonly updated: EndpointSlice[];
  readonly deleted: EndpointSlice[];
}

/** The fewest writes that bring the slices of a service to the desired endpoints: endpoints stay in their slices. */
export function planSlices(service: Service, desired: readonly PortGroup[], existing: readonly EndpointSlice[]): SliceChanges {
  const changes: SliceChanges = { created: [], updated: [], deleted: [] };
  const left = new Set(existing);
  for (const group of desired) {
    const own = existing.filter((slice) => slice.addressType === group.type && isSame(slice.ports ?? [], group.ports));
    for (const slice of own) left.delete(slice);
    planGroup(service, group, own, changes);
  }
  changes.deleted.push(...left);
  return changes;
}

function planGroup(service: Service, group: PortGroup, own: readonly EndpointSlice[], changes: SliceChanges): void {
  const missing = new Map(group.endpoints.map((endpoint) => [keyOf(endpoint), endpoint]));
  const kept = own.map((slice) => {
    const endpoints = (slice.endpoints ?? []).flatMap((endpoint) => {
      const current = missing.get(keyOf(endpoint));
      missing.delete(keyOf(endpoint));
      return current ? [current] : [];
    });
    return { slice, endpoints };
  });
  const added = [...missing.values()];
  // The fullest slices first, and only those that change anyway or have room.
  for (const { endpoints } of kept.sort((a, b) => b.endpoints.length - a.endpoints.length)) {
    endpoints.push(...added.splice(0, Math.max(0, maxEndpoints - endpoints.length)));
  }
  let isRepresented = false;
  for (const { slice, endpoints } of kept) {
    const isSpare: boolean = endpoints.length === 0 && (group.endpoints.length > 0 || isRepresented);
    isRepresented ||= !isSpare;
    if (isSpare) changes.deleted.push(slice);
    else planUpdate(service, slice, endpoints, changes);
  }
  for (let start = 0; start < added.length || !isRepresented; start += maxEndpoints) {
    changes.created.push(newSlice(service, group, added.slice(start, start + maxEndpoints)));
    isRepresented = true;
  }
}

function keyOf({ addresses, targetRef }: Endpoint): string {
  return `${targetRef?.uid} ${addresses[0]}`;
}

function planUpdate(service: Service, slice: EndpointSlice, endpoints: Endpoint[], changes: SliceChanges): void {
  const labels = labelsOf(service);
  if (isSame(endpoints, slice.endpoints ?? []) && isSame(labels, slice.metadata.labels)) return;
  changes.updated.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints });
}

function newSlice(
  service: Service,
  { type, ports }: PortGroup,
  endpoints: Endpoint[],
): Omit<EndpointSlice, 'apiVersion' | 'kind'> {
  const { name, namespace } = service.metadata;
  const ownerReferences = [controllerRef(service)];
  return {
    metadata: { generateName: `${name}-`, namespace, labels: labelsOf(service), ownerReferences },
    addressType: type,
    endpoints,
    ports: ports.length > 0 ? [...ports] : undefined,
  };
}

/** The labels of the service, without those that slices reserve. */
function labelsOf(service: Service): Record<string, string> {
  const own = Object.entries(service.metadata.labels ?? {}).filter(([key]) => !reserved.has(key));
  return {
    ...Object.fromEntries(own),
    [managedByLabel]: managedBy,
    [serviceLabel]: service.metadata.name ?? '',
    ...(hasNoClusterIP(service) && { [headlessLabel]: '' }),
  };
}
