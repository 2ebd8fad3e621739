import type { coordinationV1 } from '@tsukube/api/kinds';
import { LeaseAge, releasedLease, renewedLease } from '@tsukube/machinery';
import { isNotFound } from '../rest/api-error.ts';
import type { KubeClient } from '../rest/kube-client.ts';
import type { ResourceApi } from '../rest/resource-api.ts';
import { jitter, type Timing } from '../timing/timing.ts';

export interface LeaderElectionOptions {
  readonly namespace: string;
  /** Name of the Lease. */
  readonly name: string;
  /** Different for every candidate, such as the name of the pod. */
  readonly identity: string;
  /** Others wait this long after the last renewal they have seen. 15 seconds by default. */
  readonly leaseDurationMs?: number;
  /** The leader gives up when it could not renew for this long. 10 seconds by default. */
  readonly renewDeadlineMs?: number;
  /** Time between attempts. 2 seconds by default. */
  readonly retryPeriodMs?: number;
  readonly onNewLeader?: (identity: string) => void;
  /** Failed attempts. By default they are not reported. */
  readonly onError?: (error: unknown) => void;
}

type Lease = coordinationV1.Lease;

/** The leader could not renew its lease in time: another one may lead by now. */
export class LeadershipLost extends Error {
  override readonly name = 'LeadershipLost';
}

const jitterFactor = 1.2;

/** Leader election by a Lease, with the rules of client-go. Times of other candidates' clocks are not used. */
export class LeaderElector {
  readonly #leases: ResourceApi<Lease>;
  readonly #options: Required<Omit<LeaderElectionOptions, 'onNewLeader' | 'onError'>> & LeaderElectionOptions;
  readonly #timing: Timing;
  readonly #age: LeaseAge;
  #observed: Lease | undefined;
  #reported = '';

  constructor(client: KubeClient, options: LeaderElectionOptions) {
    this.#options = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2_000, ...options };
    const { leaseDurationMs, renewDeadlineMs, retryPeriodMs, identity, namespace } = this.#options;
    if (leaseDurationMs <= renewDeadlineMs) throw new RangeError('leaseDurationMs must be greater than renewDeadlineMs');
    if (renewDeadlineMs <= jitterFactor * retryPeriodMs)
      throw new RangeError('renewDeadlineMs must be greater than retryPeriodMs*1.2');
    if (leaseDurationMs < 1000 || identity === '')
      throw new RangeError('a lease of at least a second and an identity are needed');
    this.#leases = client.resource('coordination.k8s.io/v1/leases', { namespace });
    this.#timing = client.timing;
    this.#age = new LeaseAge(() => this.#timing.monotonic());
  }

  get leader(): string {
    return this.#observed?.spec.holderIdentity ?? '';
  }

  get isLeader(): boolean {
    return this.leader === this.#options.identity;
  }

  /**
   * Waits for the leadership and then calls `lead`, whose signal is aborted when `signal` is or the lease is lost. Releases the
   * lease when `lead` has ended. Rejects with LeadershipLost, or with the error of `lead`.
   */
  async run(signal: AbortSignal, lead: (signal: AbortSignal) => unknown): Promise<void> {
    if (!(await this.#acquire(signal))) return;
    const leading = new AbortController();
    const stop = () => leading.abort(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const work = (async () => lead(leading.signal))().finally(() => leading.abort(new Error('the work of the leader has ended')));
    // It is awaited below, after renewals have ended.
    work.catch(() => {});
    const isLost = await this.#renewUntil(leading.signal);
    if (isLost) leading.abort(new LeadershipLost(`lost the lease ${this.#options.namespace}/${this.#options.name}`));
    signal.removeEventListener('abort', stop);
    try {
      await work;
    } finally {
      if (!isLost) await this.#release();
    }
    if (isLost) throw leading.signal.reason;
  }

  async #acquire(signal: AbortSignal): Promise<boolean> {
    const { retryPeriodMs, renewDeadlineMs } = this.#options;
    while (!signal.aborted) {
      if (await this.#attempt(renewDeadlineMs, signal)) return true;
      await this.#timing.sleep(jitter(retryPeriodMs, jitterFactor, this.#timing), signal).catch(() => {});
    }
    return false;
  }

  /** Returns true when the lease could not be renewed within the deadline, false when the signal is aborted. */
  async #renewUntil(signal: AbortSignal): Promise<boolean> {
    const { retryPeriodMs, renewDeadlineMs } = this.#options;
    let renewedAt = this.#timing.monotonic();
    while (!signal.aborted) {
      await this.#timing.sleep(retryPeriodMs, signal).catch(() => {});
      const left = renewedAt + renewDeadlineMs - this.#timing.monotonic();
      if (signal.aborted) return false;
      if (left <= 0) return true;
      if (await this.#attempt(left, signal)) renewedAt = this.#timing.monotonic();
      else if (!this.isLeader) return true;
    }
    return false;
  }

  /** One attempt to get or renew the lease; false if others hold it or there was an error. */
  async #attempt(timeoutMs: number, signal: AbortSignal): Promise<boolean> {
    const limit = new AbortController();
    const abort = () => limit.abort(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const timeout = new Error(`no answer within ${timeoutMs} ms`);
    this.#timing.sleep(timeoutMs, limit.signal).then(
      () => limit.abort(timeout),
      () => {},
    );
    try {
      return await this.#acquireOrRenew(limit.signal);
    } catch (error) {
      if (!signal.aborted) this.#options.onError?.(error);
      return false;
    } finally {
      signal.removeEventListener('abort', abort);
      limit.abort();
      this.#reportLeader();
    }
  }

  async #acquireOrRenew(signal: AbortSignal): Promise<boolean> {
    // The leader assumes that its lease has not changed since, and saves a read.
    if (this.#observed && this.isLeader && this.#isValid()) {
      const renewed = await this.#renew(this.#observed, signal).catch(() => undefined);
      if (renewed !== undefined) return true;
      signal.throwIfAborted();
    }
    const lease = await this.#get(signal);
    if (lease === undefined) return this.#create(signal);
    this.#observe(lease);
    if (this.leader !== '' && !this.isLeader && this.#isValid()) return false;
    await this.#renew(lease, signal);
    return true;
  }

  async #get(signal: AbortSignal): Promise<Lease | undefined> {
    try {
      return await this.#leases.get(this.#options.name, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #create(signal: AbortSignal): Promise<boolean> {
    const { name, namespace } = this.#options;
    const metadata = { name, namespace };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: this.#spec(undefined) };
    this.#observe(await this.#leases.create(lease, { signal }));
    return true;
  }

  async #renew(lease: Lease, signal: AbortSignal): Promise<Lease> {
    const updated = await this.#leases.update({ ...lease, spec: { ...lease.spec, ...this.#spec(lease) } }, { signal });
    this.#observe(updated);
    return updated;
  }

  #spec(old: Lease | undefined): coordinationV1.LeaseSpec {
    const { identity, leaseDurationMs } = this.#options;
    const claim = { identity, durationSeconds: Math.floor(leaseDurationMs / 1000), now: this.#timing.now() };
    return renewedLease(old?.spec, claim);
  }

  #observe(lease: Lease): void {
    this.#observed = lease;
    this.#age.of(lease.metadata.resourceVersion);
  }

  #isValid(): boolean {
    const seconds = this.#observed?.spec.leaseDurationSeconds ?? 0;
    return this.#age.of(this.#observed?.metadata.resourceVersion) < seconds * 1000;
  }

  /** Lets the next candidate lead at once. */
  async #release(): Promise<void> {
    const { renewDeadlineMs, onError } = this.#options;
    try {
      const lease = await this.#leases.get(this.#options.name, { timeoutMs: renewDeadlineMs });
      if (lease.spec.holderIdentity !== this.#options.identity) return;
      const spec = releasedLease(lease.spec, this.#timing.now());
      this.#observe(await this.#leases.update({ ...lease, spec }, { timeoutMs: renewDeadlineMs }));
    } catch (error) {
      onError?.(error);
    }
  }

  #reportLeader(): void {
    if (this.leader === this.#reported || this.leader === '') return;
    this.#reported = this.leader;
    this.#options.onNewLeader?.(this.leader);
  }
}
