import type { coreV1 } from '@tsukube/api/kinds';
import { formatTime } from '@tsukube/machinery';
import type { WithoutTypeMeta } from '../cluster/cluster.ts';

/** Nodes with this annotation are simulated; kwok's annotation `kwok.x-k8s.io/node: fake` means the same. */
export const simulatedAnnotation = 'simulation.tsukube.dev/node';

export function isSimulated({ metadata }: coreV1.Node): boolean {
  const { annotations = {} } = metadata;
  return annotations[simulatedAnnotation] === 'true' || annotations['kwok.x-k8s.io/node'] === 'fake';
}

/** The Nth node, from 0. */
export function simulatedNode(index: number): WithoutTypeMeta<coreV1.Node> {
  const name = `node-${index}`;
  const cidr = `10.${64 + Math.floor(index / 256)}.${index % 256}.0/24`;
  return {
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': 'amd64',
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
      },
      annotations: { [simulatedAnnotation]: 'true' },
    },
    spec: { podCIDR: cidr, podCIDRs: [cidr] },
  };
}

const defaultCapacity = { cpu: '32', 'ephemeral-storage': '1Ti', memory: '256Gi', pods: '110' };

const pressures = [
  { type: 'MemoryPressure', reason: 'KubeletHasSufficientMemory', message: 'kubelet has sufficient memory available' },
  { type: 'DiskPressure', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
  { type: 'PIDPressure', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
];

/** The status of a healthy node. Keeps capacity, addresses and the times of transitions that the node has already. */
export function simulatedNodeStatus(node: coreV1.Node, hostIP: string, now: number): coreV1.NodeStatus {
  const { status = {} } = node;
  const time = formatTime(now);
  const capacity = hasEntries(status.capacity) ? status.capacity : defaultCapacity;
  const condition = (type: string, value: string, reason: string, message: string): coreV1.NodeCondition => {
    const old = status.conditions?.find((known) => known.type === type);
    const lastTransitionTime = old?.status === value ? (old.lastTransitionTime ?? time) : time;
    return { type, status: value, lastHeartbeatTime: time, lastTransitionTime, reason, message };
  };
  return {
    ...status,
    capacity,
    allocatable: hasEntries(status.allocatable) ? status.allocatable : capacity,
    conditions: [
      ...pressures.map(({ type, reason, message }) => condition(type, 'False', reason, message)),
      condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
    ],
    addresses: status.addresses?.length
      ? status.addresses
      : [
          { type: 'InternalIP', address: hostIP },
          { type: 'Hostname', address: node.metadata.name ?? '' },
        ],
    daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
    nodeInfo: nodeInfoOf(node),
  };
}

function hasEntries(record: Readonly<Record<string, string>> | undefined): record is Record<string, string> {
  return record !== undefined && Object.keys(record).length > 0;
}

function nodeInfoOf({ metadata }: coreV1.Node): coreV1.NodeSystemInfo {
  return {
    machineID: (metadata.uid ?? '').replaceAll('-', ''),
    systemUUID: metadata.uid ?? '',
    bootID: metadata.uid ?? '',
    kernelVersion: '6.8.0',
    osImage: 'simulated',
    containerRuntimeVersion: 'simulated://1.0',
    kubeletVersion: 'v1.36.4',
    kubeProxyVersion: '',
    operatingSystem: 'linux',
    architecture: 'amd64',
  };
}
