import { type Backoff, decodeObject, pauseAfter } from '@tsukube/apiserver';
import { objectsIn } from '@tsukube/machinery';
import { KeyExists, Mismatch, type Store } from '@tsukube/storage';

const ttlSeconds = 15;
const conflictBackoff: Backoff = { attempts: 5, firstMs: 10, maxMs: 100 };

/** One of the servers that share the store. */
export interface PeerServer {
  readonly address: string;
  /** Absent in the lease of a kube-apiserver: all servers then have the same port. */
  readonly port?: number;
}

/** The servers on this store, as kube-apiserver's lease reconciler records them: a key with a TTL under /masterleases. */
export class MasterLeases {
  readonly #store: Store;
  readonly #prefix: string;

  constructor(store: Store, root: string) {
    this.#store = store;
    this.#prefix = `${root}/masterleases/`;
  }

  /** Retries conflicts a few times: a lease that is not renewed expires within seconds. */
  async renew({ address, port }: Required<PeerServer>): Promise<void> {
    const key = `${this.#prefix}${address}:${port}`;
    const ports = [{ name: 'https', port, protocol: 'TCP' }];
    for (let attempt = 1; ; attempt++) {
      const found = await this.#store.get(key);
      const generation = found ? Number(decodeObject(found.value).metadata.generation ?? 0) + 1 : 1;
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
        const isConflict = error instanceof Mismatch || error instanceof KeyExists;
        if (!isConflict || attempt === conflictBackoff.attempts) throw error;
      }
      await pauseAfter(attempt, conflictBackoff);
    }
  }

  async remove({ address, port }: Required<PeerServer>): Promise<void> {
    const found = await this.#store.get(`${this.#prefix}${address}:${port}`);
    if (found) await this.#store.delete(found.key, found.revision);
  }

  async peers(): Promise<readonly PeerServer[]> {
    const { entries } = await this.#store.list(this.#prefix);
    return entries.flatMap(({ key, value }) => peerOf(key.slice(this.#prefix.length), value));
  }
}

/** A kube-apiserver writes protobuf; its address is in the key. */
function peerOf(name: string, value: Uint8Array): readonly PeerServer[] {
  if (value[0] !== '{'.charCodeAt(0)) return [{ address: name }];
  const [subset] = objectsIn(decodeObject(value), 'subsets');
  const address = objectsIn(subset, 'addresses')[0]?.ip;
  const port = objectsIn(subset, 'ports')[0]?.port;
  return typeof address === 'string' ? [{ address, port: Number(port) }] : [];
}
