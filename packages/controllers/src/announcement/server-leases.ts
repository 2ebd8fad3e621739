import { decodeObject } from '@tsukube/apiserver';
import type { JsonObject } from '@tsukube/machinery';
import { KeyExists, Mismatch, type Store } from '@tsukube/storage';

const ttlSeconds = 15;

/** One server of those that share a store. */
export interface Member {
  readonly address: string;
  /** Absent where a kube-apiserver says nothing about it: all have the same. */
  readonly port?: number;
}

/** Who serves from this store, as Kubernetes writes it down: a key for each, which goes when it is not renewed. */
export class ServerLeases {
  readonly #store: Store;
  readonly #prefix: string;

  constructor(store: Store, root: string) {
    this.#store = store;
    this.#prefix = `${root}/masterleases/`;
  }

  /** Writes until nobody was faster: a lease that is not renewed is gone within seconds. */
  async renew({ address, port }: Required<Member>): Promise<void> {
    const key = `${this.#prefix}${address}:${port}`;
    const ports = [{ name: 'https', port, protocol: 'TCP' }];
    for (;;) {
      const found = await this.#store.get(key);
      const generation = found ? Number((decodeObject(found.value).metadata as JsonObject).generation ?? 0) + 1 : 1;
      const value = Buffer.from(
        JSON.stringify({
          kind: 'Endpoints',
          apiVersion: 'v1',
          metadata: { generation },
          subsets: [{ addresses: [{ ip: address }], ports }],
        }),
      );
      try {
        if (found) await this.#store.update(key, value, found.revision, { ttlSeconds });
        else await this.#store.create(key, value, { ttlSeconds });
        return;
      } catch (error) {
        if (!(error instanceof Mismatch || error instanceof KeyExists)) throw error;
      }
    }
  }

  async remove({ address, port }: Required<Member>): Promise<void> {
    const found = await this.#store.get(`${this.#prefix}${address}:${port}`);
    if (found) await this.#store.delete(found.key, found.revision);
  }

  async members(): Promise<readonly Member[]> {
    const { entries } = await this.#store.list(this.#prefix);
    return entries.flatMap(({ key, value }) => memberOf(key.slice(this.#prefix.length), value));
  }
}

/** A kube-apiserver writes protobuf, and has its address in the key. */
function memberOf(name: string, value: Uint8Array): readonly Member[] {
  if (value[0] !== '{'.charCodeAt(0)) return [{ address: name }];
  const [subset] = (decodeObject(value).subsets ?? []) as JsonObject[];
  const address = (subset?.addresses as JsonObject[] | undefined)?.[0]?.ip;
  const port = (subset?.ports as JsonObject[] | undefined)?.[0]?.port;
  return typeof address === 'string' ? [{ address, port: Number(port) }] : [];
}
