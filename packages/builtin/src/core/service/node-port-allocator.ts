import { builtinTypes } from '@tsukube/api';
import { type ObjectRegistry, pauseAfterConflict, type RegistryServices } from '@tsukube/apiserver';
import {
  decodeProtobuf,
  isProtobuf,
  type JsonObject,
  parseJson,
  StatusError,
  type TypeDefinition,
  unwrapProtobuf,
} from '@tsukube/machinery';
import { CorruptEntry, type Entry, KeyExists, Mismatch } from '@tsukube/storage';
import type { ServiceRanges } from './service-ranges.ts';

type PortStore = NonNullable<RegistryServices['store']>;

/** One allocator per store, so that its updates are queued. */
const allocators = new WeakMap<PortStore, NodePortAllocator>();

/**
 * Allocates node ports. The bitmap of allocated ports is one RangeAllocation, at the key and in the form that
 * kube-apiserver uses, and is updated with compare-and-swap by all servers that share the store.
 */
export class NodePortAllocator {
  readonly #store: PortStore;
  readonly #key: string;
  readonly #range: ServiceRanges['nodePorts'];
  readonly #random: () => number;
  #entry: Entry | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(store: PortStore, key: string, range: ServiceRanges['nodePorts'], random: () => number) {
    this.#store = store;
    this.#key = key;
    this.#range = range;
    this.#random = random;
  }

  static of({ services: { store }, resource, random }: ObjectRegistry, { nodePorts }: ServiceRanges): NodePortAllocator {
    if (!store) throw new Error('the node port allocator needs a store');
    let ports = allocators.get(store);
    if (!ports) {
      const root = resource.storagePrefix.slice(0, -'services/specs'.length);
      ports = new NodePortAllocator(store, `${root}ranges/servicenodeports`, nodePorts, random);
      allocators.set(store, ports);
    }
    return ports;
  }

  /** Reads the bitmap without writing it. */
  async read<T>(decide: (taken: PortBitmap) => T): Promise<T> {
    this.#entry = await this.#store.get(this.#key);
    return decide(this.#bitmap());
  }

  /** Updates the bitmap. `decide` runs again if another server updated it in the meantime, a limited number of times. */
  update<T>(decide: (taken: PortBitmap) => T): Promise<T> {
    const result = this.#queue.then(() => this.#update(decide));
    this.#queue = result.catch(() => {});
    return result;
  }

  async #update<T>(decide: (taken: PortBitmap) => T): Promise<T> {
    // Read first: another server may have released ports since the last write of this one.
    this.#entry = await this.#store.get(this.#key);
    for (let attempt = 1; ; attempt++) {
      const taken = this.#bitmap();
      const before = taken.bytes();
      const result = decide(taken);
      if (this.#entry && taken.bytes().equals(before)) return result;
      if (await this.#write(taken)) return result;
      if (!(await pauseAfterConflict(attempt, this.#random)))
        throw StatusError.serverTimeout({ group: '', resource: 'servicenodeportallocations' }, 'update', 0);
    }
  }

  async #write(taken: PortBitmap): Promise<boolean> {
    const { first, last } = this.#range;
    const value = Buffer.from(
      JSON.stringify({
        kind: 'RangeAllocation',
        apiVersion: 'v1',
        metadata: {},
        range: `${first}-${last}`,
        data: taken.bytes().toString('base64'),
      }),
    );
    try {
      this.#entry = this.#entry
        ? await this.#store.update(this.#key, value, this.#entry.revision)
        : await this.#store.create(this.#key, value);
      return true;
    } catch (error) {
      if (!(error instanceof Mismatch || error instanceof KeyExists)) throw error;
      this.#entry = await this.#store.get(this.#key);
      return false;
    }
  }

  #bitmap(): PortBitmap {
    const { first, last } = this.#range;
    const { range, data } = this.#entry && !(this.#entry instanceof CorruptEntry) ? decoded(this.#entry.value) : {};
    // A bitmap of another port range, or a corrupt one, counts as empty; ServiceRepair rebuilds it.
    const bytes = range === `${first}-${last}` && typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;
    return new PortBitmap(first, last, bytes);
  }
}

/** RangeAllocation is not an API type. Only the fields that are read here are decoded. */
const rangeAllocation: TypeDefinition = {
  name: 'io.k8s.api.core.v1.RangeAllocation',
  fields: new Map([
    ['range', { name: 'range', number: 2, type: { is: 'string' } }],
    ['data', { name: 'data', number: 3, type: { is: 'bytes' } }],
  ]),
};

function decoded(value: Uint8Array): JsonObject {
  if (!isProtobuf(value)) return parseJson(value).value as JsonObject;
  return decodeProtobuf(unwrapProtobuf(value).raw, rangeAllocation, builtinTypes);
}

/** Bitmap of allocated ports: a big-endian integer whose bit 0 is the first port of the range, as Go's big.Int encodes it. */
export class PortBitmap {
  readonly first: number;
  readonly last: number;
  readonly #taken = new Set<number>();

  constructor(first: number, last: number, bytes: Uint8Array = new Uint8Array()) {
    this.first = first;
    this.last = last;
    for (const [i, byte] of bytes.entries()) this.#read(byte, (bytes.length - 1 - i) * 8);
  }

  #read(byte: number, offset: number): void {
    for (let bit = 0; bit < 8; bit++) {
      if (byte & (1 << bit) && this.first + offset + bit <= this.last) this.#taken.add(this.first + offset + bit);
    }
  }

  has(port: number): boolean {
    return this.#taken.has(port);
  }

  add(port: number): void {
    this.#taken.add(port);
  }

  delete(port: number): void {
    this.#taken.delete(port);
  }

  ports(): number[] {
    return [...this.#taken];
  }

  /** Big-endian without leading zero bytes. */
  bytes(): Buffer {
    const highest = Math.max(-1, ...[...this.#taken].map((port) => port - this.first));
    const bytes = Buffer.alloc(Math.floor(highest / 8) + 1);
    for (const port of this.#taken) {
      const bit = port - this.first;
      const at = bytes.length - 1 - Math.floor(bit / 8);
      bytes[at] = (bytes[at] as number) | (1 << (bit % 8));
    }
    return bytes;
  }
}
