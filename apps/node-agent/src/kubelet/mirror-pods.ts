import { type ApiObject, isAlreadyExists, isNotFound, type KubeClient } from '@tsukube/client';
import type { ProcessPod } from '../host/process-pods.ts';
import { type AgentIdentity, managedBy, secondsText } from './node-object.ts';

const nodeLabel = 'node-agent.tsukube.dev/node';

export interface MirrorOptions extends Pick<AgentIdentity, 'nodeName' | 'address'> {
  readonly namespace: string;
  readonly nodeUid: string;
}

/** Makes the Pods of the API server equal to those of this host: mirror pods, as a kubelet makes them of its static pods. */
export async function syncMirrorPods(client: KubeClient, pods: readonly ProcessPod[], options: MirrorOptions): Promise<void> {
  const { namespace, nodeName } = options;
  const api = client.resource('v1/pods', { namespace });
  const { items } = await api.listAll({ labelSelector: { ...managedBy, [nodeLabel]: nodeName } });
  const existing = new Map(items.map((pod) => [pod.metadata.name ?? '', pod]));
  const wanted = new Map(pods.map((pod) => [pod.name, pod]));
  for (const [name] of existing)
    if (!wanted.has(name)) await api.delete(name, { gracePeriodSeconds: 0 }).catch(ignore(isNotFound));
  for (const [name, pod] of wanted) {
    const known = existing.get(name);
    if (known?.status?.phase === 'Running' || pod.containers.length === 0) continue;
    if (known === undefined) await api.create(mirrorPod(pod, options)).catch(ignore(isAlreadyExists));
    await api.subresource(name, 'status').patch({ type: 'merge', patch: { status: podStatus(pod, options) } });
  }
}

/** Removes all mirror pods of the node. */
export async function removeMirrorPods(client: KubeClient, options: MirrorOptions): Promise<void> {
  await syncMirrorPods(client, [], options);
}

function ignore(matches: (error: unknown) => boolean): (error: unknown) => void {
  return (error) => {
    if (!matches(error)) throw error;
  };
}

function mirrorPod(pod: ProcessPod, { namespace, nodeName, nodeUid }: MirrorOptions) {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: pod.name,
      namespace,
      labels: { ...managedBy, [nodeLabel]: nodeName, 'app.kubernetes.io/name': pod.program },
      annotations: {
        'kubernetes.io/config.mirror': `session-${pod.session}`,
        'kubernetes.io/config.source': 'file',
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid: nodeUid, controller: true }],
    },
    spec: {
      nodeName,
      hostNetwork: true,
      hostPID: true,
      enableServiceLinks: false,
      automountServiceAccountToken: false,
      tolerations: [{ operator: 'Exists' as const }],
      containers: pod.containers.map(({ name }) => ({ name, image: `localhost/${name}` })),
    },
  } satisfies ApiObject & { spec: object };
}

function podStatus({ containers, session, startMs }: ProcessPod, { address }: MirrorOptions) {
  const ready = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'];
  return {
    phase: 'Running',
    hostIP: address,
    podIP: address,
    startTime: secondsText(startMs),
    conditions: ready.map((type) => ({ type, status: 'True', lastTransitionTime: secondsText(startMs) })),
    containerStatuses: containers.map(({ name, startMs: startedMs }) => ({
      name,
      image: `localhost/${name}`,
      imageID: '',
      containerID: `processes://${session}/${name}`,
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: secondsText(startedMs) } },
    })),
  };
}
