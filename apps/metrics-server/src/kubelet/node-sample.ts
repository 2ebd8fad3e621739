import { type SeriesSample, TextFormatParser } from './text-format.ts';

/** CPU and memory of a node or container at one time. */
export interface MetricsPoint {
  /** Milliseconds since the epoch: when the CPU time was measured. */
  readonly timestampMs: number;
  /** Core-seconds since the start. */
  readonly cpuSeconds: number;
  /** Working set. */
  readonly memoryBytes: number;
  /** Start of the container in milliseconds since the epoch; 0 if not known. */
  readonly startMs: number;
}

export interface ContainerPoint {
  readonly name: string;
  readonly point: MetricsPoint;
}

export interface PodSample {
  readonly namespace: string;
  readonly name: string;
  readonly containers: readonly ContainerPoint[];
}

/** One scrape of a kubelet. */
export interface NodeSample {
  /** Undefined if CPU or memory is missing or zero. */
  readonly node: MetricsPoint | undefined;
  /** Pods of which every container is complete. */
  readonly pods: readonly PodSample[];
}

/** More containers than this are not the report of one node. */
const maxContainers = 10_000;

const nodeCpu = 'node_cpu_usage_seconds_total';
const nodeMemory = 'node_memory_working_set_bytes';
const containerCpu = 'container_cpu_usage_seconds_total';
const containerMemory = 'container_memory_working_set_bytes';
const containerStart = 'container_start_time_seconds';
const wanted: ReadonlySet<string> = new Set([nodeCpu, nodeMemory, containerCpu, containerMemory, containerStart]);

interface PartialPoint {
  cpuSeconds: number;
  memoryBytes: number;
  startMs: number;
  cpuAtMs: number;
  memoryAtMs: number;
}

interface PartialPod {
  readonly namespace: string;
  readonly name: string;
  readonly containers: Map<string, PartialPoint>;
}

/** Collects a kubelet's `/metrics/resource` from its chunks. */
export class NodeSampleReader {
  readonly #requestedMs: number;
  readonly #node = emptyPoint();
  readonly #pods = new Map<string, PartialPod>();
  readonly #parser: TextFormatParser;
  #containers = 0;

  /** `requestedMs` is the time of lines without a timestamp. */
  constructor(requestedMs: number) {
    this.#requestedMs = requestedMs;
    this.#parser = new TextFormatParser({ wanted, onSample: (sample) => this.#add(sample) });
  }

  /** Throws TextFormatError. */
  push(chunk: Buffer): void {
    this.#parser.push(chunk);
  }

  /** Throws TextFormatError. */
  end(): NodeSample {
    this.#parser.end();
    return {
      node: completePoint(this.#node),
      pods: [...this.#pods.values()].map(completePod).filter((pod) => pod !== undefined),
    };
  }

  #add({ name, labels, value, timestampMs = this.#requestedMs }: SeriesSample): void {
    const isOfNode = name === nodeCpu || name === nodeMemory;
    const point = isOfNode ? this.#node : this.#container(labels);
    if (point === undefined || !Number.isFinite(value) || value < 0) return;
    if (name === nodeCpu || name === containerCpu) {
      point.cpuSeconds = value;
      point.cpuAtMs = timestampMs;
    } else if (name === containerStart) {
      point.startMs = value * 1000;
    } else {
      point.memoryBytes = value;
      point.memoryAtMs = timestampMs;
    }
  }

  #container(labels: ReadonlyMap<string, string>): PartialPoint | undefined {
    const namespace = labels.get('namespace') ?? '';
    const name = labels.get('pod') ?? '';
    const container = labels.get('container') ?? '';
    if (namespace === '' || name === '' || container === '') return undefined;
    const pod = this.#pod(namespace, name);
    const known = pod.containers.get(container);
    if (known !== undefined) return known;
    if (++this.#containers > maxContainers) throw new RangeError(`more than ${maxContainers} containers`);
    const point = emptyPoint();
    pod.containers.set(container, point);
    return point;
  }

  #pod(namespace: string, name: string): PartialPod {
    const key = `${namespace}/${name}`;
    const known = this.#pods.get(key);
    if (known !== undefined) return known;
    const pod = { namespace, name, containers: new Map() };
    this.#pods.set(key, pod);
    return pod;
  }
}

function emptyPoint(): PartialPoint {
  return { cpuSeconds: 0, memoryBytes: 0, startMs: 0, cpuAtMs: 0, memoryAtMs: 0 };
}

function completePoint({ cpuSeconds, memoryBytes, startMs, cpuAtMs, memoryAtMs }: PartialPoint): MetricsPoint | undefined {
  if (cpuSeconds === 0 || memoryBytes === 0) return undefined;
  return { timestampMs: cpuAtMs || memoryAtMs, cpuSeconds, memoryBytes, startMs };
}

/** The usage of a pod is the sum of its containers: with one of them incomplete it would be too low. */
function completePod({ namespace, name, containers }: PartialPod): PodSample | undefined {
  const complete: ContainerPoint[] = [];
  for (const [container, partial] of containers) {
    const point = completePoint(partial);
    if (point === undefined) return undefined;
    complete.push({ name: container, point });
  }
  return { namespace, name, containers: complete };
}
