import { formatMicroTime } from './time.ts';

/** The spec of a Lease of coordination.k8s.io/v1, as far as leader election uses it. */
export interface HeldLease {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

export interface LeaseClaim {
  readonly identity: string;
  readonly durationSeconds: number;
  /** Wall clock. Only for readers: candidates do not compare it with their own. */
  readonly now: number;
}

/** The spec after a candidate has acquired or renewed a lease, by the rules of client-go. `old` is undefined for a new one. */
export function renewedLease(old: HeldLease | undefined, { identity, durationSeconds, now }: LeaseClaim): Required<HeldLease> {
  const time = formatMicroTime(now);
  const isOwn = old?.holderIdentity === identity;
  const transitions = old?.leaseTransitions ?? 0;
  return {
    holderIdentity: identity,
    leaseDurationSeconds: durationSeconds,
    acquireTime: isOwn ? (old.acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: isOwn || old === undefined ? transitions : transitions + 1,
  };
}

/** The spec of a lease that its holder gives up: the next candidate need not wait. */
export function releasedLease(old: HeldLease, now: number): HeldLease {
  const time = formatMicroTime(now);
  return { ...old, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: time, renewTime: time };
}

/**
 * The time since a lease was last seen to change, by the own monotonic clock. A lease expires by this age and not by its
 * renewTime, because the wall clocks of candidates may differ.
 */
export class LeaseAge {
  readonly #monotonic: () => number;
  #version: string | undefined;
  #since = 0;

  /** `monotonic` is in milliseconds. */
  constructor(monotonic: () => number) {
    this.#monotonic = monotonic;
  }

  /** Milliseconds since this version was first seen. Versions are seen in their order. */
  of(version: string | undefined): number {
    if (version !== this.#version || version === undefined) {
      this.#version = version;
      this.#since = this.#monotonic();
    }
    return this.#monotonic() - this.#since;
  }
}
