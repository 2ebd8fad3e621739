import { type Backend, type BackendTls, backendTlsOptions, type NetworkAddress, type ServiceAddresses } from '@tsukube/apiserver';
import type { KeyPair } from '@tsukube/machinery/pki';
import { Http1Client } from '@tsukube/transport';
import { InFlight } from './in-flight.ts';
import { type RemoteApi, serverNameOf } from './remote-api.ts';

/** Connections kept alive for each address; more are opened while needed. */
const maxIdleSockets = 64;
/** A handshake takes a millisecond of both sides: a burst of requests rather waits for connections that become idle. */
const maxConnecting = 8;
/** More than `InFlight` admits. */
const maxSockets = 20_000;
/** Addresses that are tried for one request. */
const maxAddresses = 4;
/** The addresses of a Service are looked up at most once in this time. */
const addressesMs = 1000;
/** An address that failed is tried last for this time. */
const avoidMs = 10_000;

/** The way to the backend of an API. */
export interface Route {
  readonly client: Http1Client;
  /** Name that the backend's certificate is verified for. */
  readonly serverName: string;
  /** In the order to try them. Never empty. */
  readonly addresses: readonly NetworkAddress[];
  readonly inFlight: InFlight;
  /** Reports whether an address could be reached. */
  report(address: NetworkAddress, isReached: boolean): void;
}

interface Pool {
  readonly tls: BackendTls;
  readonly client: Http1Client;
  readonly inFlight: InFlight;
  /** Times until which addresses are avoided, by HOST PORT. */
  readonly avoided: Map<string, number>;
  known: { readonly addresses: readonly NetworkAddress[]; readonly until: number } | undefined;
}

export interface ConnectionsOptions {
  readonly random?: () => number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

/** Connections to the backends, pooled for each API. */
export class Connections {
  readonly #addressesOf: ServiceAddresses;
  readonly #identity: () => KeyPair;
  readonly #random: () => number;
  readonly #now: () => number;
  readonly #pools = new Map<string, Pool>();

  constructor(addressesOf: ServiceAddresses, identity: () => KeyPair, options: ConnectionsOptions = {}) {
    this.#addressesOf = addressesOf;
    this.#identity = identity;
    this.#random = options.random ?? Math.random;
    this.#now = options.now ?? (() => performance.now());
  }

  /** The way to an API's backend, beginning with a random address. Rejects if its Service has no address. */
  routeTo(api: RemoteApi): Route | Promise<Route> {
    const pool = this.#poolOf(api);
    const { known } = pool;
    if (known && this.#now() < known.until) return this.#route(api, pool, known.addresses);
    return this.#addressesOf(api.service).then((addresses) => {
      pool.known = { addresses, until: this.#now() + addressesMs };
      return this.#route(api, pool, addresses);
    });
  }

  /** The same addresses for requests on connections of their own. */
  async backendsOf(api: RemoteApi): Promise<readonly Backend[]> {
    const { addresses } = await this.routeTo(api);
    const { tls } = this.#poolOf(api);
    return addresses.map(({ host, port }) => ({ scheme: 'https', host, port: String(port), tls }));
  }

  /** Looks the addresses of an API up again with the next request. */
  refresh(name: string): void {
    const pool = this.#pools.get(name);
    if (pool) pool.known = undefined;
  }

  /** Closes the connections of an API that was removed, or has other TLS settings. */
  forget(name: string): void {
    this.#pools.get(name)?.client.close();
    this.#pools.delete(name);
  }

  close(): void {
    for (const name of [...this.#pools.keys()]) this.forget(name);
  }

  #route(api: RemoteApi, pool: Pool, all: readonly NetworkAddress[]): Route {
    const start = all.length > 1 ? Math.floor(this.#random() * all.length) : 0;
    const addresses = start === 0 ? all : [...all.slice(start), ...all.slice(0, start)];
    return {
      client: pool.client,
      serverName: serverNameOf(api),
      addresses: this.#avoiding(pool.avoided, addresses).slice(0, maxAddresses),
      inFlight: pool.inFlight,
      report: (address, isReached) => this.#report(pool, address, isReached),
    };
  }

  #avoiding(avoided: Map<string, number>, addresses: readonly NetworkAddress[]): readonly NetworkAddress[] {
    if (avoided.size === 0) return addresses;
    const now = this.#now();
    for (const [key, until] of avoided) if (until <= now) avoided.delete(key);
    const isAvoided = (address: NetworkAddress) => avoided.has(keyOf(address));
    return [...addresses.filter((each) => !isAvoided(each)), ...addresses.filter(isAvoided)];
  }

  #report({ avoided }: Pool, address: NetworkAddress, isReached: boolean): void {
    if (!isReached) avoided.set(keyOf(address), this.#now() + avoidMs);
    else if (avoided.size > 0) avoided.delete(keyOf(address));
  }

  #poolOf(api: RemoteApi): Pool {
    const { certificate: cert, key } = this.#identity();
    const existing = this.#pools.get(api.name);
    if (existing && isFor(existing.tls, api, cert)) return existing;
    this.forget(api.name);
    const serverName = serverNameOf(api);
    const tls: BackendTls = { cert, key, ca: api.ca, verify: !api.skipsVerification, serverName };
    const client = new Http1Client({
      tls: backendTlsOptions({ host: serverName, tls }),
      maxSockets,
      maxConnecting,
      maxIdleSockets,
      maxResponseBytes: 0,
    });
    const pool: Pool = { tls, client, inFlight: new InFlight(), avoided: new Map(), known: undefined };
    this.#pools.set(api.name, pool);
    return pool;
  }
}

function keyOf({ host, port }: NetworkAddress): string {
  return `${host} ${port}`;
}

function isFor(tls: BackendTls, api: RemoteApi, cert: string): boolean {
  const isSameServer = tls.serverName === serverNameOf(api) && tls.ca === api.ca && tls.verify === !api.skipsVerification;
  return isSameServer && tls.cert === cert;
}
