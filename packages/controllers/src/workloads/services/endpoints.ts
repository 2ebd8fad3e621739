import type { coreV1, discoveryV1 } from '@tsukube/api/kinds';
import { isFinished, isReady } from '../pods/pod-state.ts';

type Pod = coreV1.Pod;
type Service = coreV1.Service;
export type AddressType = 'IPv4' | 'IPv6';

export const headlessLabel = 'service.kubernetes.io/headless';

/** Whether the pods of a service are tracked: it has a selector and is not an alias. */
export function hasEndpoints({ spec }: Service): boolean {
  return spec?.type !== 'ExternalName' && spec?.selector !== undefined;
}

export function selectsPod({ spec }: Service, { metadata }: Pod): boolean {
  const selector = Object.entries(spec?.selector ?? {});
  return selector.length > 0 && selector.every(([key, value]) => metadata.labels?.[key] === value);
}

export function hasNoClusterIP({ spec }: Service): boolean {
  return !spec?.clusterIP || spec.clusterIP === 'None';
}

export function shouldPodBeInEndpoints(pod: Pod): boolean {
  return !isFinished(pod) && (pod.status?.podIPs ?? []).length > 0;
}

/** The address of a pod in an IP family. */
export function addressOf({ status }: Pod, type: AddressType): string | undefined {
  return status?.podIPs?.map(({ ip = '' }) => ip).find((ip) => ip.includes(':') === (type === 'IPv6'));
}

/** The ports of a service at a pod. A named port that the pod does not have is left out. */
export function portsOf({ spec }: Service, pod: Pod): discoveryV1.EndpointPort[] {
  return (spec?.ports ?? []).flatMap((port) => {
    const number = targetPort(port, pod);
    if (number === undefined) return [];
    const { name = '', protocol = 'TCP', appProtocol } = port;
    return [{ name, port: number, protocol, ...(appProtocol !== undefined && { appProtocol }) }];
  });
}

function targetPort({ targetPort: target, port, protocol = 'TCP' }: coreV1.ServicePort, { spec }: Pod): number | undefined {
  if (typeof target === 'number') return target;
  if (target === undefined || target === '') return port;
  const containers = [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always'),
  ];
  const ports = containers.flatMap((container) => container.ports ?? []);
  return ports.find((candidate) => candidate.name === target && (candidate.protocol ?? 'TCP') === protocol)?.containerPort;
}

/** The hostname of a pod in DNS, if the service gives it one. */
export function hostnameOf({ metadata }: Service, { spec, metadata: own }: Pod): string | undefined {
  const isNamed = spec?.hostname && spec.subdomain === metadata.name && own.namespace === metadata.namespace;
  return isNamed ? spec?.hostname : undefined;
}

export function targetRefOf({ metadata }: Pod): coreV1.ObjectReference {
  return { kind: 'Pod', namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: metadata.uid ?? '' };
}

/** The endpoint of a pod in an EndpointSlice. */
export function endpointOf(service: Service, pod: Pod, type: AddressType, zone: string | undefined): discoveryV1.Endpoint {
  const serving = isReady(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const hostname = hostnameOf(service, pod);
  return {
    addresses: [addressOf(pod, type) ?? ''],
    conditions: { ready: Boolean(service.spec?.publishNotReadyAddresses) || (serving && !terminating), serving, terminating },
    targetRef: targetRefOf(pod),
    ...(pod.spec?.nodeName && { nodeName: pod.spec.nodeName }),
    ...(zone !== undefined && { zone }),
    ...(hostname !== undefined && { hostname }),
  };
}

/** `NAMESPACE/NAME` of the services that select a pod. */
export function servicesOf(pod: Pod, services: readonly Service[]): string[] {
  return services.filter((service) => selectsPod(service, pod)).map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}
