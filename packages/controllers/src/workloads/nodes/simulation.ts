import type { coreV1 } from '@tsukube/api/kinds';
import { formatMicroTime, StatusError } from '@tsukube/machinery';
import type { Cluster } from '../cluster/cluster.ts';
import { runController, type WorkloadController } from '../cluster/controller.ts';
import { queueKey } from '../cluster/lister.ts';
import { isSame } from '../cluster/values.ts';
import { isSimulated, simulatedNode, simulatedNodeStatus } from './node-object.ts';
import { nextStep } from './pod-lifecycle.ts';

const leaseNamespace = 'kube-node-lease';
const renewIntervalMs = 10_000;
const leaseDurationSeconds = 40;
const statusIntervalMs = 300_000;
const notReadyTaint = 'node.kubernetes.io/not-ready';

/**
 * Simulates nodes: creates `count` of them, keeps them ready and their leases renewed, and moves the pods that are assigned to them
 * through their lifecycle. Nodes that other clients create with the annotation are simulated as well.
 */
export function simulateNodes(everything: Cluster, count: number): Pick<WorkloadController, 'stop'> {
  const cluster = everything.as('kubelet');
  const nodes = cluster.objects('nodes');
  const pods = cluster.objects('pods');
  const leases = cluster.objects('leases');
  const podsOn = pods.index(({ spec }) => spec?.nodeName);
  const addresses = new Addresses();

  const reconcileNode = async (_: string, name: string): Promise<number | undefined> => {
    const node = nodes.get('', name);
    if (!node || !isSimulated(node)) return undefined;
    const hostIP = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? addresses.ofNode(name);
    const ready = node.status?.conditions?.find(({ type }) => type === 'Ready');
    const heartbeat = Date.parse(ready?.lastHeartbeatTime ?? '');
    const isFresh = ready?.status === 'True' && cluster.now() - heartbeat < statusIntervalMs;
    if (!isFresh) await cluster.update('nodes', { ...node, status: simulatedNodeStatus(node, hostIP, cluster.now()) }, 'status');
    else if (node.spec?.taints?.some(({ key }) => key === notReadyTaint)) await cluster.update('nodes', withoutNotReady(node));
    await renewLease(cluster, node, leases.get(leaseNamespace, name));
    return renewIntervalMs;
  };
  const reconcilePod = async (namespace: string, name: string): Promise<number | undefined> => {
    const pod = pods.get(namespace, name);
    const nodeName = pod?.spec?.nodeName ?? '';
    const node = nodeName === '' ? undefined : nodes.get('', nodeName);
    if (!pod || !node || !isSimulated(node)) return undefined;
    const hostIP = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? addresses.ofNode(nodeName);
    const host = { hostIP, podIP: pod.status?.podIP ?? addresses.ofPod(node, podsOn(nodeName)) };
    const step = nextStep(pod, host, cluster.now());
    if (step.do === 'remove') await cluster.delete('pods', pod, { gracePeriodSeconds: 0, uid: pod.metadata.uid });
    else if (step.do === 'wait') return step.untilMs === undefined ? undefined : Math.max(0, step.untilMs - cluster.now());
    else if (!isSame(step.status, pod.status)) await cluster.update('pods', { ...pod, status: step.status }, 'status');
    return undefined;
  };
  const nodeController = runController(cluster, { of: nodes, reconcile: reconcileNode });
  const podController = runController(cluster, { of: pods, reconcile: reconcilePod, concurrency: 16 });
  // Pods may have been assigned to a node before it was known.
  podController.watches(nodes, ({ metadata }) => podsOn(metadata.name ?? '').map(queueKey));
  void createNodes(cluster, count);
  return {
    stop() {
      nodeController.stop();
      podController.stop();
    },
  };
}

async function createNodes(cluster: Cluster, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await cluster.create('nodes', simulatedNode(index)).catch((error) => {
      if (error instanceof StatusError && error.status.reason === 'AlreadyExists') return;
      cluster.logger.warn('a simulated node was not created', { node: `node-${index}`, error: String(error) });
    });
  }
}

/** The taint that admission adds to new nodes; the node lifecycle controller, which may not run, removes it too. */
function withoutNotReady(node: coreV1.Node): coreV1.Node {
  const taints = node.spec?.taints?.filter(({ key }) => key !== notReadyTaint) ?? [];
  return { ...node, spec: { ...node.spec, taints: taints.length > 0 ? taints : undefined } as coreV1.NodeSpec };
}

async function renewLease(
  cluster: Cluster,
  node: coreV1.Node,
  lease: Awaited<ReturnType<typeof newLease>> | undefined,
): Promise<void> {
  const now = cluster.now();
  if (!lease) {
    await newLease(cluster, node);
  } else if (now - Date.parse(lease.spec?.renewTime ?? '') >= renewIntervalMs - 1000) {
    await cluster.update('leases', { ...lease, spec: { ...lease.spec, renewTime: formatMicroTime(now) } });
  }
}

function newLease(cluster: Cluster, { metadata: { name = '', uid = '' } }: coreV1.Node) {
  const ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name, uid }];
  const spec = { holderIdentity: name, leaseDurationSeconds, renewTime: formatMicroTime(cluster.now()) };
  return cluster.create('leases', { metadata: { name, namespace: leaseNamespace, ownerReferences }, spec });
}

/** Addresses of nodes and pods. Those of pods are unique as long as they run. */
class Addresses {
  readonly #nodes = new Map<string, string>();
  readonly #next = new Map<string, number>();

  ofNode(name: string): string {
    let address = this.#nodes.get(name);
    if (address === undefined) {
      const index = this.#nodes.size + 1;
      address = `192.168.${Math.floor(index / 254) % 256}.${(index % 254) + 1}`;
      this.#nodes.set(name, address);
    }
    return address;
  }

  ofPod({ metadata, spec }: coreV1.Node, pods: readonly coreV1.Pod[]): string {
    const base = spec?.podCIDR?.split('.').slice(0, 3).join('.') ?? '10.63.0';
    const used = new Set(pods.map(({ status }) => status?.podIP));
    const first = this.#next.get(metadata.name ?? '') ?? 0;
    for (let i = 0; i < 254; i++) {
      const host = ((first + i) % 254) + 1;
      if (used.has(`${base}.${host}`)) continue;
      this.#next.set(metadata.name ?? '', host);
      return `${base}.${host}`;
    }
    return `${base}.254`;
  }
}
