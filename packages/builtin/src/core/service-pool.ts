import { type CacheEntry, decodeObject, type ObjectRegistry, type WatchCache } from '@tsukube/apiserver';
import { type JsonObject, parseAddress } from '@tsukube/machinery';
import { numberIn, objectIn, objectsIn, textsIn } from './pod-spec/members.ts';

/** An address is named by family and number, a port by its number. */
export type Claim = `${'IPv4' | 'IPv6' | 'port'}/${bigint}`;

interface Held {
  readonly revision: number;
  readonly claims: readonly Claim[];
}

const pools = new WeakMap<WatchCache, ServicePool>();

/**
 * Which addresses and ports the services of one server hold, and which ones writes that are under way have taken. It is read
 * from the services that are stored and follows what becomes of them, so nothing is lost or kept by a crash.
 */
export class ServicePool {
  readonly #cache: WatchCache;
  readonly #held = new Map<string, Held>();
  readonly #holders = new Map<Claim, number>();
  #loading: Promise<void> | undefined;

  private constructor(cache: WatchCache) {
    this.#cache = cache;
  }

  /** The pool of a registry, knowing every service that is stored. */
  static async of({ cache }: ObjectRegistry): Promise<ServicePool> {
    let pool = pools.get(cache);
    if (!pool) {
      pool = new ServicePool(cache);
      pools.set(cache, pool);
    }
    await pool.#load();
    await cache.fresh();
    return pool;
  }

  isTaken(claim: Claim): boolean {
    return this.#holders.has(claim);
  }

  take(claim: Claim): void {
    this.#holders.set(claim, (this.#holders.get(claim) ?? 0) + 1);
  }

  giveBack(claim: Claim): void {
    const holders = (this.#holders.get(claim) ?? 0) - 1;
    if (holders > 0) this.#holders.set(claim, holders);
    else this.#holders.delete(claim);
  }

  /** A service was written here. Where memory lags behind the store, its event comes later. */
  learn(entry: CacheEntry): void {
    if (entry.revision > this.#cache.current) this.#hold(entry.key, entry.revision, claimsOf(entry));
  }

  #load(): Promise<void> {
    this.#loading ??= this.#read().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #read(): Promise<void> {
    await this.#cache.fresh();
    const unfollow = this.#cache.follow({
      onEvents: (events) => {
        for (const { type, entry } of events) this.#hold(entry.key, entry.revision, type === 'put' ? claimsOf(entry) : []);
      },
      onGap: () => {
        unfollow();
        this.#forget();
      },
    });
    for (const entry of this.#cache.slice(this.#cache.prefix)) this.#hold(entry.key, entry.revision, claimsOf(entry));
  }

  /** Events were missed: all is read again before the next service is written. */
  #forget(): void {
    for (const { claims } of this.#held.values()) for (const claim of claims) this.giveBack(claim);
    this.#held.clear();
    this.#loading = undefined;
  }

  #hold(key: string, revision: number, claims: readonly Claim[]): void {
    const before = this.#held.get(key);
    if (before && before.revision >= revision) return;
    for (const claim of claims) this.take(claim);
    for (const claim of before?.claims ?? []) this.giveBack(claim);
    if (claims.length > 0) this.#held.set(key, { revision, claims });
    else this.#held.delete(key);
  }
}

export function addressClaim(ip: string): Claim | undefined {
  const address = parseAddress(ip);
  return address && `${address.family}/${address.value}`;
}

export function portClaim(port: number): Claim {
  return `port/${BigInt(port)}`;
}

function claimsOf(entry: CacheEntry): readonly Claim[] {
  const spec: JsonObject = objectIn(decodeObject(entry.value), 'spec') ?? {};
  if (spec.type === 'ExternalName') return [];
  const ports = [...objectsIn(spec, 'ports').map((port) => numberIn(port, 'nodePort')), numberIn(spec, 'healthCheckNodePort')];
  const addresses = textsIn(spec, 'clusterIPs').flatMap((ip) => addressClaim(ip) ?? []);
  return [...addresses, ...[...new Set(ports)].filter((port) => port !== 0).map(portClaim)];
}
