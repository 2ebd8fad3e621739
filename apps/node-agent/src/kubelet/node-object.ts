import { arch, platform, release } from 'node:os';
import type { KubeClient } from '@tsukube/client';
import type { HostTotals } from '../host/proc.ts';

export interface AgentIdentity {
  readonly nodeName: string;
  /** Address under which the agent serves. */
  readonly address: string;
  readonly port: number;
  readonly maxPods: number;
}

/** Marks Nodes and Pods of node agents: the agent never touches others. */
export const managedBy = { 'app.kubernetes.io/managed-by': 'tsukube-node-agent' } as const;

/** Keeps pods away that need a real kubelet. Mirror pods tolerate it. */
export const agentTaint = { key: 'node-agent.tsukube.dev/processes-only', effect: 'NoSchedule' } as const;

export function nodeObject({ nodeName }: AgentIdentity) {
  const labels = {
    ...managedBy,
    'kubernetes.io/hostname': nodeName,
    'kubernetes.io/os': platform(),
    'kubernetes.io/arch': goArchitecture(),
  };
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: nodeName, labels }, spec: { taints: [agentTaint] } };
}

export function nodeStatus({ nodeName, address, port, maxPods }: AgentIdentity, totals: HostTotals, nowMs: number) {
  const resources = {
    cpu: String(totals.cores),
    memory: `${Math.floor(totals.totalBytes / 1024)}Ki`,
    pods: String(maxPods),
  };
  const lastHeartbeatTime = secondsText(nowMs);
  return {
    capacity: resources,
    allocatable: resources,
    addresses: [
      { type: 'InternalIP', address },
      { type: 'Hostname', address: nodeName },
    ],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        message: 'the node agent is serving the figures of this host',
        lastHeartbeatTime,
        lastTransitionTime: lastHeartbeatTime,
      },
    ],
    nodeInfo: {
      architecture: goArchitecture(),
      bootID: '',
      containerRuntimeVersion: 'processes://',
      kernelVersion: release(),
      kubeProxyVersion: '',
      kubeletVersion: 'v0.1.0-tsukube-node-agent',
      machineID: '',
      operatingSystem: platform(),
      osImage: platform(),
      systemUUID: '',
    },
  };
}

/** Another program registered a Node of this name. */
export class ForeignNode extends Error {
  override readonly name = 'ForeignNode';
}

/** Registers the Node, or takes over one of an earlier agent. Rejects with ForeignNode. Returns its uid. */
export async function registerNode(client: KubeClient, identity: AgentIdentity, totals: HostTotals): Promise<string> {
  const nodes = client.resource('v1/nodes');
  const applied = nodeObject(identity);
  const existing = await nodes.list({ fieldSelector: `metadata.name=${identity.nodeName}` });
  const [node] = existing.items;
  if (node !== undefined && node.metadata.labels?.['app.kubernetes.io/managed-by'] !== managedBy['app.kubernetes.io/managed-by'])
    throw new ForeignNode(`the Node ${identity.nodeName} belongs to another program: choose a name with --node-name`);
  const { metadata } = node ?? (await nodes.create(applied));
  await reportStatus(client, identity, totals);
  return metadata.uid ?? '';
}

export async function reportStatus(client: KubeClient, identity: AgentIdentity, totals: HostTotals): Promise<void> {
  const status = nodeStatus(identity, totals, client.timing.now());
  await client.resource('v1/nodes').subresource(identity.nodeName, 'status').patch({ type: 'merge', patch: { status } });
}

const leaseSeconds = 40;

/** Renews the Lease by which controllers know that the node is alive. */
export async function renewLease(client: KubeClient, nodeName: string, nodeUid: string): Promise<void> {
  const leases = client.resource('coordination.k8s.io/v1/leases', { namespace: 'kube-node-lease' });
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid }];
  const renewTime = new Date(client.timing.now()).toISOString().replace('Z', '000Z');
  await leases.apply(
    {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: nodeName, namespace: 'kube-node-lease', ownerReferences },
      spec: { holderIdentity: nodeName, leaseDurationSeconds: leaseSeconds, renewTime },
    },
    { fieldManager: 'tsukube-node-agent', force: true },
  );
}

function goArchitecture(): string {
  const names: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };
  return names[arch()] ?? arch();
}

export function secondsText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
