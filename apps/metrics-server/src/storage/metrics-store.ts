import type { NodeSample, PodSample } from '../kubelet/node-sample.ts';
import { nextContainerWindow, nextWindow, type PointWindow, type Usage, usageOf } from './usage.ts';

export interface ContainerUsage {
  readonly name: string;
  readonly usage: Usage;
}

export interface PodUsage {
  readonly containers: readonly ContainerUsage[];
  /** Of the container that was measured first. */
  readonly timestampMs: number;
  readonly windowMs: number;
}

interface PodWindow {
  readonly node: string;
  readonly containers: readonly { readonly name: string; readonly window: PointWindow }[];
}

interface NodeWindow {
  readonly window: PointWindow | undefined;
  readonly pods: ReadonlySet<string>;
}

/** The two newest points of every node and container, replaced node by node with each scrape. */
export class MetricsStore {
  readonly #resolutionMs: number;
  readonly #nodes = new Map<string, NodeWindow>();
  readonly #pods = new Map<string, PodWindow>();

  constructor(resolutionMs: number) {
    this.#resolutionMs = resolutionMs;
  }

  /** Takes a scrape of a node. Pods that are not in it are gone. */
  store(node: string, sample: NodeSample): void {
    const known = this.#nodes.get(node);
    const pods = new Set<string>();
    for (const pod of sample.pods) {
      const key = podKey(pod.namespace, pod.name);
      if (!this.#storePod(node, key, pod)) continue;
      pods.add(key);
    }
    this.#forgetPods(known, pods);
    const window = sample.node && nextWindow(known?.window, sample.node);
    this.#nodes.set(node, { window, pods });
  }

  /** Forgets a node that could not be scraped, or does not exist any more. */
  drop(node: string): void {
    this.#forgetPods(this.#nodes.get(node), new Set());
    this.#nodes.delete(node);
  }

  /** Forgets all nodes but these. */
  retain(nodes: ReadonlySet<string>): void {
    for (const node of [...this.#nodes.keys()]) if (!nodes.has(node)) this.drop(node);
  }

  /** Undefined until the node was scraped twice. */
  nodeUsage(node: string): Usage | undefined {
    const window = this.#nodes.get(node)?.window;
    return window && usageOf(window);
  }

  /** Undefined until all containers were scraped twice. */
  podUsage(namespace: string, name: string): PodUsage | undefined {
    const pod = this.#pods.get(podKey(namespace, name));
    if (pod === undefined || pod.containers.some(({ window }) => window.previous === undefined)) return undefined;
    const containers = pod.containers.flatMap(({ name: container, window }) => {
      const usage = usageOf(window);
      return usage === undefined ? [] : [{ name: container, usage }];
    });
    const [first, ...others] = containers;
    if (first === undefined) return undefined;
    const { usage } = others.reduce((a, b) => (b.usage.timestampMs < a.usage.timestampMs ? b : a), first);
    return { containers, timestampMs: usage.timestampMs, windowMs: usage.windowMs };
  }

  /** Nodes and containers that have a usage. */
  points(): { readonly nodes: number; readonly containers: number } {
    let nodes = 0;
    let containers = 0;
    for (const { window } of this.#nodes.values()) if (window?.previous) nodes++;
    for (const pod of this.#pods.values()) for (const { window } of pod.containers) if (window.previous) containers++;
    return { nodes, containers };
  }

  /** Whether there is a usage to serve, of nodes and of pods. */
  get isReady(): boolean {
    const { nodes, containers } = this.points();
    return nodes > 0 && containers > 0;
  }

  /** False if another node reports the pod, too: that one counts until it stops. */
  #storePod(node: string, key: string, { containers }: PodSample): boolean {
    const known = this.#pods.get(key);
    if (known !== undefined && known.node !== node) return false;
    this.#pods.set(key, {
      node,
      containers: containers.map(({ name, point }) => {
        const before = known?.containers.find((each) => each.name === name);
        return { name: before?.name ?? name, window: nextContainerWindow(before?.window, point, this.#resolutionMs) };
      }),
    });
    return true;
  }

  #forgetPods(before: NodeWindow | undefined, reported: ReadonlySet<string>): void {
    for (const key of before?.pods ?? []) if (!reported.has(key)) this.#pods.delete(key);
  }
}

function podKey(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}
