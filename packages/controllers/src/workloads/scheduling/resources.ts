import type { coreV1 } from '@tsukube/api/kinds';
import { parseQuantity } from '@tsukube/machinery';
import { getOrCreate, type Lister } from '../cluster/lister.ts';
import { isFinished } from '../pods/pod-state.ts';

/** Amounts by resource, in thousandths. */
export type Amounts = Map<string, number>;

/** A quantity in thousandths; 0 if it is malformed. */
export function milli(quantity: string | undefined): number {
  if (quantity === undefined) return 0;
  try {
    const { mantissa, exponent } = parseQuantity(String(quantity));
    return Number(mantissa) * 10 ** (exponent + 3);
  } catch {
    return 0;
  }
}

export function amountsOf(resources: Readonly<Record<string, string>> = {}): Amounts {
  return new Map(Object.entries(resources).map(([name, quantity]) => [name, milli(quantity)]));
}

/** The requests of a pod: the sum of its containers, or of one init container if that is more, and its overhead. */
export function schedulingRequests({ spec }: coreV1.Pod): Amounts {
  const total: Amounts = new Map();
  for (const { resources } of spec?.containers ?? []) add(total, amountsOf(resources?.requests));
  for (const { resources, restartPolicy } of spec?.initContainers ?? []) {
    const requests = amountsOf(resources?.requests);
    if (restartPolicy === 'Always') add(total, requests);
    else for (const [name, amount] of requests) total.set(name, Math.max(amount, total.get(name) ?? 0));
  }
  add(total, amountsOf(spec?.overhead));
  total.set('pods', 1000);
  return total;
}

function add(total: Amounts, more: Amounts, sign = 1): void {
  for (const [name, amount] of more) total.set(name, (total.get(name) ?? 0) + sign * amount);
}

/** `PROTOCOL/PORT` of the host ports of a pod. */
export function hostPortsOf({ spec }: coreV1.Pod): string[] {
  const ports = (spec?.containers ?? []).flatMap((container) => container.ports ?? []);
  return ports.filter(({ hostPort }) => hostPort).map(({ protocol = 'TCP', hostPort }) => `${protocol}/${hostPort}`);
}

/** Pods and requested resources of each node, kept up to date. A pod counts from `assume` on, before its binding is seen. */
export class NodeUsage {
  readonly #pods = new Map<string, Map<string, coreV1.Pod>>();
  readonly #requests = new Map<string, Amounts>();
  readonly #nodeOf = new Map<string, string>();
  readonly stop: () => void;

  constructor(pods: Lister<coreV1.Pod>) {
    this.stop = pods.subscribe(({ current, previous }) => {
      const uid = (current ?? previous)?.metadata.uid ?? '';
      const isUsing = current !== undefined && !isFinished(current);
      if (isUsing && current.spec?.nodeName) this.assume(current, current.spec.nodeName);
      else if (!isUsing) this.forget(uid);
    });
  }

  assume(pod: coreV1.Pod, node: string): void {
    const uid = pod.metadata.uid ?? '';
    this.forget(uid);
    this.#nodeOf.set(uid, node);
    this.podsOn(node).set(uid, pod);
    add(this.requestsOn(node), schedulingRequests(pod));
  }

  forget(uid: string): void {
    const node = this.#nodeOf.get(uid);
    if (node === undefined) return;
    const pod = this.podsOn(node).get(uid);
    this.#nodeOf.delete(uid);
    this.podsOn(node).delete(uid);
    if (pod) add(this.requestsOn(node), schedulingRequests(pod), -1);
  }

  podsOn(node: string): Map<string, coreV1.Pod> {
    return getOrCreate(this.#pods, node, () => new Map());
  }

  requestsOn(node: string): Amounts {
    return getOrCreate(this.#requests, node, () => new Map());
  }
}
