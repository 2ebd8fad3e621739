import { humanDuration } from '@tsukube/machinery';

/** Below the minute that tokens of a server whose clock is ahead are accepted early. */
const maxSkewMs = 30_000;
/** Peers renew every ten seconds. Those that are not seen to are not compared. */
const liveMs = 35_000;
/** Renewals that are seen at the same time were delayed, and are one sample. */
const sampleMs = 5_000;

interface Peer {
  readonly created: number;
  readonly revision: number;
  /** How far its clock is ahead of the own, in milliseconds; too little if the renewal was seen late. */
  readonly offset: number;
  /** Monotonic. */
  readonly seenAt: number;
  /** The smaller of two offsets in a row, so that one late renewal is no skew. */
  readonly confirmed: number | undefined;
}

export interface Renewal {
  /** Name of the server's lease. */
  readonly server: string;
  /** Revision that created the lease. */
  readonly created: number;
  readonly revision: number;
  /** Wall clock of the server when it renewed the lease. */
  readonly renewedAt: number;
}

/** Compares the own wall clock with those of the other servers on the store, by the renewals of their leases. */
export class ClockComparison {
  readonly #self: string;
  readonly #now: () => number;
  readonly #monotonic: () => number;
  readonly #peers = new Map<string, Peer>();
  #created = Number.POSITIVE_INFINITY;

  /** `self` is the name of the own lease. */
  constructor(self: string, now: () => number, monotonic: () => number = () => performance.now()) {
    this.#self = self;
    this.#now = now;
    this.#monotonic = monotonic;
  }

  /** Call when a renewal is seen, at once. */
  observe({ server, created, revision, renewedAt }: Renewal): void {
    if (server === this.#self) {
      this.#created = created;
      return;
    }
    const before = this.#peers.get(server);
    if (before?.revision === revision || Number.isNaN(renewedAt)) return;
    const [offset, seenAt] = [renewedAt - this.#now(), this.#monotonic()];
    const isSample = before !== undefined && seenAt - before.seenAt >= sampleMs;
    const confirmed = isSample ? nearer(offset, before.offset) : before?.confirmed;
    this.#peers.set(server, { created, revision, offset, seenAt, confirmed });
  }

  /** Whether the lease of the server was seen, and no renewal of it for long, whatever the wall clocks say. */
  isGone(server: string): boolean {
    const peer = this.#peers.get(server);
    return peer !== undefined && !this.#isLive(peer);
  }

  #isLive({ seenAt }: Peer): boolean {
    return this.#monotonic() - seenAt < liveMs;
  }

  /**
   * Why this server must not serve; undefined if its clock agrees with the reference. That is the median of all clocks; with an
   * even number the one of the older server of both, so that the same server is the reference for all. Undefined also while a
   * server that has joined is not confirmed: without its clock, another one would be the median.
   */
  problem(): string | undefined {
    const clocks = [{ offset: 0, created: this.#created }];
    for (const peer of this.#peers.values()) {
      if (!this.#isLive(peer)) continue;
      if (peer.confirmed === undefined) return undefined;
      clocks.push({ offset: peer.confirmed, created: peer.created });
    }
    clocks.sort((a, b) => a.offset - b.offset);
    const middle = clocks.slice((clocks.length - 1) >> 1, (clocks.length >> 1) + 1).sort((a, b) => a.created - b.created);
    const offset = middle[0]?.offset ?? 0;
    if (Math.abs(offset) <= maxSkewMs) return undefined;
    const where = offset > 0 ? 'behind' : 'ahead of';
    return `the clock of this server is ${humanDuration(Math.abs(offset))} ${where} those of the other servers on the store`;
  }
}

function nearer(a: number, b: number): number {
  return Math.abs(a) < Math.abs(b) ? a : b;
}
