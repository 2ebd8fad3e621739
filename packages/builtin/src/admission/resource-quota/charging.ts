import { type AdmissionAttributes, type Backoff, pauseAfter } from '@tsukube/apiserver';
import { StatusError } from '@tsukube/machinery';
import { checkRequest } from './check-request.ts';
import type { LimitedResource } from './configuration.ts';
import type { Evaluator } from './evaluator.ts';
import type { QuotaReader, QuotaState } from './quota-state.ts';
import { equalLists, type ResourceList } from './resource-list.ts';

/** A write that waits for its evaluation. */
interface Waiter {
  readonly attributes: AdmissionAttributes;
  readonly evaluator: Evaluator;
  /** Settles once; later calls have no effect. */
  readonly settle: (error?: unknown) => void;
  isSettled: boolean;
}

/** Stores the usage of a quota. Rejects if the quota has changed since its revision. */
export type UpdateUsage = (namespace: string, quota: QuotaState) => Promise<void>;

const timeoutMs = 10_000;
/** Attempts of an update that loses a compare-and-swap; other threads and servers charge the same quotas. */
const conflictBackoff: Backoff = { attempts: 10, firstMs: 2, maxMs: 100 };

/**
 * Charges writes to quotas. The writes of a namespace that arrive while another update is in progress are evaluated together and
 * charged by one update of each quota. An update succeeds only if the quota has not changed since the evaluation.
 */
export class QuotaCharging {
  readonly #quotas: Pick<QuotaReader, 'fresh' | 'read'>;
  readonly #updateUsage: UpdateUsage;
  readonly #limited: readonly LimitedResource[];
  /** Waiters by namespace; a key exists while its namespace is being evaluated. */
  readonly #waiting = new Map<string, Waiter[]>();

  readonly #random: () => number;

  constructor(
    quotas: Pick<QuotaReader, 'fresh' | 'read'>,
    updateUsage: UpdateUsage,
    limited: readonly LimitedResource[],
    random: () => number,
  ) {
    this.#quotas = quotas;
    this.#updateUsage = updateUsage;
    this.#limited = limited;
    this.#random = random;
  }

  /** Rejects with the StatusError of a write that does not fit. */
  charge(attributes: AdmissionAttributes, evaluator: Evaluator): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => waiter.settle(StatusError.internalError('resource quota evaluation timed out')),
        timeoutMs,
      ).unref();
      const waiter: Waiter = {
        attributes,
        evaluator,
        isSettled: false,
        settle(error) {
          if (waiter.isSettled) return;
          waiter.isSettled = true;
          clearTimeout(timer);
          if (error === undefined) resolve();
          else reject(error);
        },
      };
      this.#add(waiter);
    });
  }

  #add(waiter: Waiter): void {
    const { namespace } = waiter.attributes;
    const waiting = this.#waiting.get(namespace);
    if (waiting) waiting.push(waiter);
    else void this.#run(namespace, [waiter]);
  }

  /** Evaluates until no write of the namespace waits. */
  async #run(namespace: string, first: readonly Waiter[]): Promise<void> {
    for (let batch = first; batch.length > 0; batch = this.#waiting.get(namespace) ?? []) {
      this.#waiting.set(namespace, []);
      try {
        await this.#evaluate(namespace, batch);
      } catch (error) {
        for (const waiter of batch) waiter.settle(error);
      }
    }
    this.#waiting.delete(namespace);
  }

  async #evaluate(namespace: string, batch: readonly Waiter[]): Promise<void> {
    let pending = batch;
    let names: ReadonlySet<string> | undefined;
    for (let attempt = 1; ; attempt++) {
      const waiting = this.#quotas.fresh();
      if (waiting) await waiting;
      const read = this.#quotas.read(namespace);
      // After a conflict, only the quotas that could not be updated are charged again.
      const quotas = names ? read.filter(({ name }) => names?.has(name)) : read;
      const running = evaluateAll(pending, quotas, names ? [] : this.#limited);
      const failed = await this.#update(namespace, quotas, running.quotas);
      if (failed.size === 0) {
        for (const waiter of running.charged) waiter.settle();
        return;
      }
      if (attempt === conflictBackoff.attempts) throw failed.values().next().value;
      pending = running.charged;
      names = new Set(failed.keys());
      await pauseAfter(attempt, { ...conflictBackoff, random: this.#random });
    }
  }

  /** Updates the quotas that have changed, and returns the errors of those that could not be updated. */
  async #update(
    namespace: string,
    before: readonly QuotaState[],
    after: readonly QuotaState[],
  ): Promise<ReadonlyMap<string, unknown>> {
    const failed = new Map<string, unknown>();
    const updates = after.map(async (quota, i) => {
      if (quota.used === before[i]?.used) return;
      await this.#updateUsage(namespace, quota).catch((error) => failed.set(quota.name, error));
    });
    await Promise.all(updates);
    return failed;
  }
}

interface Evaluated {
  /** The quotas with the usage of all writes that fit. */
  readonly quotas: readonly QuotaState[];
  /** The writes that wait for the update of quotas. */
  readonly charged: readonly Waiter[];
}

/** Settles writes that do not fit, and those that change no quota. */
function evaluateAll(waiters: readonly Waiter[], given: readonly QuotaState[], limited: readonly LimitedResource[]): Evaluated {
  let quotas = given;
  const charged: Waiter[] = [];
  for (const waiter of waiters) {
    const { attributes, evaluator } = waiter;
    if (waiter.isSettled) continue;
    try {
      const usage = checkRequest(attributes, evaluator, quotas, limited);
      const next = quotas.map((quota) => withCharge(quota, usage.get(quota.name)));
      const isChanged = next.some((quota, i) => quota !== quotas[i]);
      if (attributes.dryRun || !isChanged) waiter.settle();
      else {
        quotas = next;
        charged.push(waiter);
      }
    } catch (error) {
      waiter.settle(error);
    }
  }
  return { quotas, charged };
}

function withCharge(quota: QuotaState, used: ResourceList | undefined): QuotaState {
  return used === undefined || equalLists(used, quota.used) ? quota : { ...quota, used };
}
