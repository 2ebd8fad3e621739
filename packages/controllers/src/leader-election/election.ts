import { renewedLease } from '@tsukube/machinery';
import type { ControllerContext, RunningController } from '../controller.ts';
import { GroupLease } from './group-lease.ts';
import { Membership } from './membership.ts';
import { SystemLeases } from './system-leases.ts';

/** A controller that runs on one of the servers that share a store. */
export interface ElectedController {
  readonly name: string;
  readonly start: () => RunningController;
}

export interface ElectionOptions {
  /** Distinguishes the servers, and is the same after a restart. */
  readonly identity: string;
  readonly controllers: readonly ElectedController[];
  /** Monotonic, in milliseconds. */
  readonly monotonic?: () => number;
  readonly newId?: () => string;
}

const tickMs = 1_000;
/** Controllers move to a new server when the servers were the same for this long. */
const rebalanceMs = 10_000;
/** A controller that no server has taken for this long is taken by any: the others may not run it. */
const unclaimedMs = 3_000;
/** Bounds the wait for the last write of a controller, and for the release of the leases. */
const stopMs = 2_000;

/** Runs each controller on one of the servers that share a store: on the one that holds its Lease kube-system/tsukube-NAME. */
export function runElected(context: ControllerContext, options: ElectionOptions): RunningController {
  const election = new Election(context, options);
  const timer = setInterval(() => void election.tick(), tickMs).unref();
  void election.tick();
  return {
    stop() {
      clearInterval(timer);
      return election.stop();
    },
  };
}

/**
 * The lease of a controller is valid as long as the server that holds it is a member: it is written when it changes hands, and
 * renewed by the one lease of its holder.
 */
export class Election {
  readonly #context: ControllerContext;
  readonly #controllers: readonly ElectedController[];
  readonly #monotonic: () => number;
  readonly #leases: SystemLeases;
  readonly #membership: Membership;
  readonly #group: GroupLease;
  readonly #running = new Map<string, { readonly controller: RunningController; readonly revision: number }>();
  /** Since when the leases of controllers have been free. */
  readonly #freeSince = new Map<string, number>();
  /** Controllers that no other server wanted, with these members. */
  readonly #unwanted = new Set<string>();
  #members = { key: '', since: 0 };
  #attempt: Promise<void> | undefined;
  #isStopped = false;

  constructor(
    context: ControllerContext,
    { identity, controllers, monotonic = () => performance.now(), newId }: ElectionOptions,
  ) {
    const { logger, now } = context;
    this.#context = context;
    this.#controllers = controllers;
    this.#monotonic = monotonic;
    this.#leases = new SystemLeases(context, 'tsukube-', monotonic);
    this.#membership = new Membership(this.#leases, { identity, logger, now, monotonic, ...(newId && { newId }) });
    this.#group = new GroupLease(this.#leases, now);
  }

  /** The controllers that run on this server. */
  get running(): readonly string[] {
    return [...this.#running.keys()];
  }

  /** Renews leases, and starts and stops controllers, unless an attempt is in progress. Never rejects. */
  tick(): Promise<void> {
    if (this.#membership.isOverdue) {
      this.#membership.forget();
      this.#stopAll('the lease of this server could not be renewed in time');
    }
    this.#attempt ??= this.#reconcile()
      .catch((error: unknown) => this.#context.logger.debug('leases of controllers failed', { error: String(error) }))
      .finally(() => {
        this.#attempt = undefined;
      });
    return this.#attempt;
  }

  /** Resolves when the controllers have stopped and their leases are released, so that other servers take over at once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#running.size > 0) this.#context.logger.info('controllers stopped', { controllers: this.running });
    const leave = async () => {
      await Promise.all(this.running.map((name) => this.#stopOne(name)));
      // An attempt in progress could write the lease of this server again.
      await this.#attempt;
      const isLast = this.#membership.members().length <= 1;
      if (this.#membership.self !== undefined && isLast) await this.#group.release();
      await this.#membership.leave();
    };
    await within(
      stopMs,
      leave().catch(() => {}),
    );
    this.#membership.forget();
    this.#stopAll(undefined);
  }

  async #reconcile(): Promise<void> {
    if (this.#isStopped) return;
    await this.#leases.load();
    if (!(await this.#membership.renew())) return this.#stopAll('another server has taken the lease of this one');
    await this.#membership.removeDead();
    if (!(await this.#group.hold())) return this.#stopAll('a server of an earlier version runs the controllers');
    const members = this.#observeMembers();
    this.#stopLost();
    const share = Math.ceil(this.#controllers.length / members.length);
    await this.#takeFree(members, share);
    if (this.#monotonic() - this.#members.since >= rebalanceMs) await this.#giveAway(this.#running.size - share);
  }

  #observeMembers(): readonly string[] {
    const members = this.#membership.members();
    const key = members.join();
    if (key !== this.#members.key) {
      this.#members = { key, since: this.#monotonic() };
      this.#unwanted.clear();
    }
    return members;
  }

  /** Stops controllers whose leases were changed or deleted by hand. */
  #stopLost(): void {
    const leases = this.#leases.all();
    for (const [name, { revision }] of this.#running) {
      if (!this.#leases.includes(revision) || leases.get(leaseName(name))?.holder === this.#membership.self) continue;
      this.#context.logger.warn('lost the lease of a controller', { controller: name });
      this.#stopOne(name).catch(() => {});
    }
  }

  /** Up to an even share; more if nobody else takes them. */
  async #takeFree(members: readonly string[], share: number): Promise<void> {
    const free = this.#free(members);
    // Each server begins at another place, so that they rarely compete for the same.
    const place = members.indexOf(this.#membership.self ?? '');
    const first = Math.floor((place * free.length) / members.length);
    const ordered = [...free.slice(first), ...free.slice(0, first)];
    const fair = ordered.slice(0, Math.max(0, share - this.#running.size));
    const unclaimed = ordered.filter((each) => !fair.includes(each) && this.#isUnclaimed(each));
    for (const { name } of unclaimed) this.#unwanted.add(name);
    const taken = await Promise.all([...fair, ...unclaimed].map((controller) => this.#take(controller)));
    const started = taken.filter((name) => name !== undefined);
    if (started.length > 0) this.#context.logger.info('controllers started', { controllers: started });
  }

  #isUnclaimed({ name }: ElectedController): boolean {
    return this.#monotonic() - (this.#freeSince.get(name) ?? Number.POSITIVE_INFINITY) >= unclaimedMs;
  }

  #free(members: readonly string[]): ElectedController[] {
    const leases = this.#leases.all();
    const isOthers = (holder = '') => holder !== this.#membership.self && members.includes(holder);
    const isFree = (name: string) => !this.#running.has(name) && !isOthers(leases.get(leaseName(name))?.holder);
    const free = this.#controllers.filter(({ name }) => isFree(name));
    const names = new Set(free.map(({ name }) => name));
    for (const name of this.#freeSince.keys()) if (!names.has(name)) this.#freeSince.delete(name);
    for (const name of names) if (!this.#freeSince.has(name)) this.#freeSince.set(name, this.#monotonic());
    return free;
  }

  /** Returns its name if it was started. */
  async #take({ name, start }: ElectedController): Promise<string | undefined> {
    const { self } = this.#membership;
    if (self === undefined) return undefined;
    const seen = this.#leases.all().get(leaseName(name));
    const claim = { identity: self, durationSeconds: 0, now: this.#context.now() };
    const { holderIdentity, acquireTime, leaseTransitions } = renewedLease(seen?.spec, claim);
    const revision = await this.#leases.write(leaseName(name), seen, { holderIdentity, acquireTime, leaseTransitions });
    // No other server takes the lease while this one stays the same member.
    if (revision === undefined || this.#isStopped || this.#membership.self !== self) return undefined;
    this.#running.set(name, { controller: start(), revision });
    return name;
  }

  async #giveAway(count: number): Promise<void> {
    const given = this.running.filter((name) => !this.#unwanted.has(name)).slice(-Math.max(0, count));
    if (count <= 0 || given.length === 0) return;
    this.#context.logger.info('controllers move to another server', { controllers: given });
    await Promise.all(given.map((name) => this.#giveUp(name)));
  }

  async #giveUp(name: string): Promise<void> {
    await within(stopMs, this.#stopOne(name));
    const lease = this.#leases.all().get(leaseName(name));
    if (lease === undefined || lease.holder !== this.#membership.self) return;
    await this.#leases.write(lease.name, lease, { ...lease.spec, holderIdentity: '' });
  }

  async #stopOne(name: string): Promise<void> {
    const running = this.#running.get(name);
    this.#running.delete(name);
    await running?.controller.stop();
  }

  #stopAll(reason: string | undefined): void {
    if (this.#running.size > 0 && reason !== undefined)
      this.#context.logger.warn('controllers stopped', { reason, controllers: this.running });
    for (const name of this.running) this.#stopOne(name).catch(() => {});
  }
}

function leaseName(controller: string): string {
  return `tsukube-${controller}`;
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([work, timeout]);
  clearTimeout(timer);
}
