import type { Opaque64 } from '../grpc/protobuf.ts';
import { checkKey } from '../keys.ts';
import { type Entry, KeyExists, Mismatch, type StoreDeleteOptions, type StoreWriteOptions } from '../store.ts';
import type { Leases } from './leases.ts';
import type { EtcdClient, IsCancelled } from './rpc/client.ts';
import { isLeaseGone } from './rpc/errors.ts';
import { type TxnRequest, type TxnResponse, txnMethod } from './rpc/kv.ts';

const ABSENT = 0;

/** Writes single keys, each in one round trip: if the comparison fails, the same transaction returns the current value. */
export class Writes {
  readonly #client: EtcdClient;
  readonly #leases: Leases;

  constructor(client: EtcdClient, leases: Leases) {
    this.#client = client;
    this.#leases = leases;
  }

  async create(key: string, value: Uint8Array, options?: StoreWriteOptions): Promise<Entry> {
    checkKey(key);
    const { succeeded, revision } = await this.#put(options, (lease) => ({
      key,
      expected: ABSENT,
      success: [{ type: 'put', key, value, lease }],
      failure: [],
    }));
    if (!succeeded) throw new KeyExists(key);
    return { key, value, revision, created: revision };
  }

  async update(key: string, value: Uint8Array, expected: number, options?: StoreWriteOptions): Promise<Entry> {
    const { succeeded, revision, found } = await this.#put(options, (lease) => ({
      key,
      expected: possible(expected),
      success: [
        { type: 'range', range: { key, keysOnly: true } },
        { type: 'put', key, value, lease },
      ],
      failure: [{ type: 'range', range: { key } }],
    }));
    if (!succeeded) throw new Mismatch(key, found[0]);
    return { key, value, revision, created: (found[0] as Entry).created };
  }

  async delete(key: string, expected: number, options?: StoreDeleteOptions): Promise<number> {
    const request: TxnRequest = {
      key,
      expected: possible(expected),
      success: [{ type: 'delete', key }],
      failure: [{ type: 'range', range: { key } }],
    };
    const { succeeded, revision, found } = await this.#client.write(txnMethod, request, options?.isCancelled);
    if (!succeeded) throw new Mismatch(key, found[0]);
    return revision;
  }

  async #put(options: StoreWriteOptions | undefined, request: (lease?: Opaque64) => TxnRequest): Promise<TxnResponse> {
    if (!options?.ttlSeconds) return this.#client.write(txnMethod, request(), options?.isCancelled);
    return this.#putLeased(options.ttlSeconds, request, options.isCancelled);
  }

  /** Retries once with a new lease: a lease may disappear early, for instance if it is revoked by hand. */
  async #putLeased(
    seconds: number,
    request: (lease: Opaque64) => TxnRequest,
    isCancelled: IsCancelled | undefined,
  ): Promise<TxnResponse> {
    const lease = await this.#leases.take(seconds);
    try {
      return await this.#client.write(txnMethod, request(lease.id), isCancelled);
    } catch (error) {
      if (!isLeaseGone(error)) throw error;
    }
    await this.#leases.forget(seconds, lease);
    return this.#client.write(txnMethod, request((await this.#leases.take(seconds)).id), isCancelled);
  }
}

const NEVER = -1;

/** To etcd revision 0 means that the key does not exist, which matches no update or delete. */
function possible(expected: number): number {
  return expected > ABSENT ? expected : NEVER;
}
