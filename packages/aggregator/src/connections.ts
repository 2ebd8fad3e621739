import { Agent } from 'node:https';
import { type Backend, type BackendTls, type NetworkAddress, type ServiceAddresses, tlsOptions } from '@tsukube/apiserver';
import type { KeyPair } from '@tsukube/machinery/pki';
import { type RemoteApi, serverNameOf } from './remote-api.ts';

/** Connections kept alive for each address; more are opened while needed. */
const maxIdle = 64;
const idleMs = 90_000;
/** Addresses that are tried for one request. */
const maxAddresses = 4;

interface Pool {
  readonly tls: BackendTls;
  readonly agent: Agent;
}

/** Connections to the backends, pooled for each set of TLS settings that an API has had. */
export class Connections {
  readonly #addressesOf: ServiceAddresses;
  readonly #identity: () => KeyPair;
  readonly #random: () => number;
  readonly #pools = new Map<string, Pool>();

  constructor(addressesOf: ServiceAddresses, identity: () => KeyPair, random: () => number = Math.random) {
    this.#addressesOf = addressesOf;
    this.#identity = identity;
    this.#random = random;
  }

  /** The addresses of an API's Service in the order to try them, beginning with a random one. Rejects if there are none. */
  async backendsOf(api: RemoteApi): Promise<readonly Backend[]> {
    const all = await this.#addressesOf(api.service);
    const start = Math.floor(this.#random() * all.length);
    const { tls, agent } = this.#poolOf(api);
    const ordered = [...all.slice(start), ...all.slice(0, start)].slice(0, maxAddresses);
    return ordered.map(({ host, port }: NetworkAddress) => ({ scheme: 'https', host, port: String(port), tls, agent }));
  }

  /** Closes the idle connections of an API that was changed or removed. */
  forget(name: string): void {
    this.#pools.get(name)?.agent.destroy();
    this.#pools.delete(name);
  }

  close(): void {
    for (const name of [...this.#pools.keys()]) this.forget(name);
  }

  #poolOf(api: RemoteApi): Pool {
    const { certificate: cert, key } = this.#identity();
    const known = this.#pools.get(api.name);
    if (known && isFor(known.tls, api, cert)) return known;
    this.forget(api.name);
    const serverName = serverNameOf(api);
    const tls: BackendTls = { cert, key, ca: api.ca, verify: !api.skipsVerification, serverName };
    const agent = new Agent({
      keepAlive: true,
      maxFreeSockets: maxIdle,
      timeout: idleMs,
      ...tlsOptions({ host: serverName, tls }),
    });
    const pool = { tls, agent };
    this.#pools.set(api.name, pool);
    return pool;
  }
}

function isFor(tls: BackendTls, api: RemoteApi, cert: string): boolean {
  const isSameServer = tls.serverName === serverNameOf(api) && tls.ca === api.ca && tls.verify === !api.skipsVerification;
  return isSameServer && tls.cert === cert;
}
