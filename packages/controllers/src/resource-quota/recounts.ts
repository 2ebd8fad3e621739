import { decodeObject, isReadable, type Logger, type ObjectRegistry, updateExisting, WorkQueue } from '@tsukube/apiserver';
import type { ResourceList } from '@tsukube/builtin';
import { deepEqual, type KubeObject, objectIn } from '@tsukube/machinery';
import { ignoreNotFound, writeAs } from '../controller.ts';
import type { QuotaIndex } from './quota-index.ts';
import { reconciledStatus } from './status.ts';
import type { UsageCounter } from './usage-counter.ts';

/** Time in which a write that was charged to a quota is stored. */
export const settleMs = 250;
const concurrency = 2;
/** The share of the time that counting a namespace may take, unless that delays a count too much. */
const maxShare = 0.1;
const maxDelayMs = 5000;

/** A count that is due. */
interface Plan {
  readonly due: number;
  readonly begun: number;
  /** The usage of the quotas at `begun`. */
  readonly baseline: ReadonlyMap<string, ResourceList>;
}

/** Counts the usage of namespaces and updates the status of their quotas. */
export class Recounts {
  readonly #registry: ObjectRegistry;
  readonly #quotas: () => QuotaIndex;
  readonly #counter: UsageCounter;
  readonly #queue: WorkQueue;
  readonly #plans = new Map<string, Plan>();
  /** The time that the last count took, by namespace. */
  readonly #durations = new Map<string, number>();

  constructor(registry: ObjectRegistry, quotas: () => QuotaIndex, counter: UsageCounter, logger: Logger) {
    this.#registry = registry;
    this.#quotas = quotas;
    this.#counter = counter;
    this.#queue = new WorkQueue((namespace) => this.#recount(namespace), logger, concurrency);
  }

  stop(): void {
    this.#queue.stop();
  }

  /** Counts now. Usage that is already known is not lowered before the next count. */
  countNow(namespace: string): void {
    this.#queue.add(namespace);
  }

  /** Counts after a delay; later if counting takes long. */
  countAfter(namespace: string, delayMs: number): void {
    const delay = Math.max(delayMs, Math.min(maxDelayMs, (this.#durations.get(namespace) ?? 0) / maxShare));
    const begun = performance.now();
    const known = this.#plans.get(namespace);
    if (known && known.due <= begun + delay) return;
    const baseline = new Map(
      this.#quotas()
        .in(namespace)
        .map(({ name, used }) => [name, used]),
    );
    this.#plans.set(namespace, { due: begun + delay, begun, baseline });
    this.#queue.addAfter(namespace, delay);
  }

  async #recount(namespace: string): Promise<void> {
    const quotas = this.#quotas().in(namespace);
    if (quotas.length === 0) return this.#forget(namespace);
    const plan = this.#takePlan(namespace);
    try {
      const { usage, errors, busyMs } = await this.#counter.count(namespace, quotas);
      this.#durations.set(namespace, busyMs);
      const writes = quotas.map(({ name }) =>
        this.#write(namespace, name, usage.get(name) as ResourceList, plan?.baseline.get(name)),
      );
      if ((await Promise.all(writes)).includes('unsettled')) this.countAfter(namespace, settleMs);
      if (errors.length > 0) throw errors[0];
    } catch (error) {
      if (plan && !this.#plans.has(namespace)) this.#plans.set(namespace, plan);
      throw error;
    }
  }

  /** A plan whose baseline is too recent stays; timers may fire slightly early. */
  #takePlan(namespace: string): Plan | undefined {
    const plan = this.#plans.get(namespace);
    if (!plan) return undefined;
    const earlyMs = plan.begun + settleMs - performance.now();
    if (earlyMs > 0) this.#queue.addAfter(namespace, Math.max(earlyMs, plan.due - performance.now()));
    else this.#plans.delete(namespace);
    return earlyMs > 0 ? undefined : plan;
  }

  #forget(namespace: string): void {
    this.#plans.delete(namespace);
    this.#durations.delete(namespace);
  }

  async #write(
    namespace: string,
    name: string,
    counted: ResourceList,
    baseline: ResourceList | undefined,
  ): Promise<'settled' | 'unsettled'> {
    let isSettled = true;
    const renew = (quota: KubeObject): KubeObject => {
      const reconciled = reconciledStatus(quota, counted, baseline);
      isSettled = reconciled.isSettled;
      return deepEqual(reconciled.status, objectIn(quota, 'status')) ? quota : { ...quota, status: reconciled.status };
    };
    const entry = await this.#registry.cache.get(this.#registry.key(namespace, name));
    if (!entry || !isReadable(entry)) return 'settled';
    const quota = decodeObject(entry.value);
    if (renew(quota) !== quota)
      await ignoreNotFound(updateExisting(this.#registry, name, undefined, renew, writeAs(this.#registry, namespace, 'status')));
    return isSettled ? 'settled' : 'unsettled';
  }
}
