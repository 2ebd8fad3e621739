import { type ObjectRegistry, updateExisting } from '@tsukube/apiserver';
import { formatMicroTime, type JsonObject, type KubeObject, numberIn, objectIn, StatusError, textIn } from '@tsukube/machinery';
import { type Controller, type ControllerContext, registryNamed, writeAs } from './controller.ts';

const namespace = 'kube-system';
const name = 'tsukube-controllers';
const leaseDurationSeconds = 10;
/** The leader stops its controllers if it could not renew the lease for this long: before others may take over. */
const renewDeadlineMs = 7000;
const retryMs = 2000;
/** Shutdown does not wait longer for the release of the lease. */
const releaseMs = 1000;

/** Thrown inside of an update that would take the lease of a live leader. */
class HeldByAnother extends Error {}

export interface LeaderElection {
  readonly identity: string;
  /** Starts the work of the leader. It is stopped when the lease is lost. */
  readonly lead: () => Controller;
  /** Monotonic, in milliseconds. */
  readonly monotonic?: () => number;
}

/** Runs controllers on one of the servers that share a store: on the one that holds the Lease kube-system/tsukube-controllers. */
export function runAsLeader(context: ControllerContext, options: LeaderElection): Controller {
  const elector = new Elector(context, options);
  const timer = setInterval(() => elector.tick(), retryMs).unref();
  elector.tick();
  return {
    stop() {
      clearInterval(timer);
      return elector.stop();
    },
  };
}

export class Elector {
  readonly #context: ControllerContext;
  readonly #leases: ObjectRegistry;
  readonly #identity: string;
  readonly #lead: () => Controller;
  readonly #monotonic: () => number;
  #leading: Controller | undefined;
  #renewedAt = 0;
  /** The last seen state of the lease, and when it was first seen by the own clock. */
  #observed = { spec: '', at: 0 };
  #attempt: Promise<void> | undefined;
  #isStopped = false;

  constructor(context: ControllerContext, { identity, lead, monotonic = () => performance.now() }: LeaderElection) {
    this.#context = context;
    this.#leases = registryNamed(context, 'leases');
    this.#identity = identity;
    this.#lead = lead;
    this.#monotonic = monotonic;
  }

  get isLeader(): boolean {
    return this.#leading !== undefined;
  }

  /** Tries to get or renew the lease, unless an attempt is in progress. Steps down after the deadline. */
  tick(): Promise<void> {
    if (this.#leading && this.#monotonic() - this.#renewedAt > renewDeadlineMs) this.#stepDown();
    this.#attempt ??= this.#acquireOrRenew().finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  /** Resolves when the lease is released, so that another server takes over at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (!this.#leading) return;
    this.#leading.stop();
    this.#leading = undefined;
    const release = this.#write((lease) => this.#released(lease)).catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, releaseMs);
    });
    await Promise.race([release, timeout]);
    clearTimeout(timer);
  }

  async #acquireOrRenew(): Promise<void> {
    const begun = this.#monotonic();
    try {
      await this.#write((lease) => this.#renewed(lease));
    } catch (error) {
      if (error instanceof HeldByAnother) return this.#stepDown();
      this.#context.logger.debug('the lease of the controllers could not be renewed', { error: String(error) });
      return;
    }
    if (this.#isStopped) return;
    this.#renewedAt = begun;
    this.#leading ??= this.#lead();
  }

  #stepDown(): void {
    if (!this.#leading) return;
    this.#context.logger.warn('lost the lease of the controllers, another server runs them now');
    this.#leading.stop();
    this.#leading = undefined;
  }

  /** Not admitted: a webhook must not be able to stop the controllers. */
  async #write(change: (lease: KubeObject) => JsonObject): Promise<void> {
    const writing = { ...writeAs(this.#leases, namespace), isAdmitted: true };
    try {
      await updateExisting(this.#leases, name, undefined, change, writing);
    } catch (error) {
      if (!(error instanceof StatusError && error.code === 404)) throw error;
      const metadata = { name, namespace };
      const lease: KubeObject = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata };
      await this.#leases.create(change(lease), writing);
    }
  }

  #renewed(lease: KubeObject): JsonObject {
    const old = objectIn(lease, 'spec') ?? {};
    const holder = textIn(old, 'holderIdentity');
    const isOwn = holder === this.#identity;
    if (!isOwn && holder !== '' && this.#isLive(old)) throw new HeldByAnother();
    const now = formatMicroTime(this.#context.now());
    const acquireTime = isOwn ? (old.acquireTime ?? now) : now;
    const leaseTransitions = numberIn(old, 'leaseTransitions') + Number(!isOwn && lease.spec !== undefined);
    const spec = { holderIdentity: this.#identity, leaseDurationSeconds, acquireTime, renewTime: now, leaseTransitions };
    return { ...lease, spec };
  }

  #released(lease: KubeObject): JsonObject {
    const old = objectIn(lease, 'spec') ?? {};
    if (textIn(old, 'holderIdentity') !== this.#identity) return lease;
    return { ...lease, spec: { ...old, holderIdentity: '', leaseDurationSeconds: 1 } };
  }

  /** By the time since the lease was seen to change: the wall clocks of servers may differ. */
  #isLive(spec: JsonObject): boolean {
    const text = JSON.stringify(spec);
    if (text !== this.#observed.spec) this.#observed = { spec: text, at: this.#monotonic() };
    return this.#monotonic() - this.#observed.at < numberIn(spec, 'leaseDurationSeconds') * 1000;
  }
}
