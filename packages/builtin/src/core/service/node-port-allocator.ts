import { builtinTypes } from '@tsukube/api';
import type { ObjectRegistry, RegistryServices } from '@tsukube/apiserver';
import { decodeProtobuf, isProtobuf, type JsonObject, parseJson, type TypeDefinition, unwrapProtobuf } from '@tsukube/machinery';
import { CorruptEntry, type Entry, KeyExists, Mismatch } from '@tsukube/storage';
import type { ServiceRanges } from './service-ranges.ts';

type PortStore = NonNullable<RegistryServices['store']>;

const known = new WeakMap<PortStore, ServicePorts>();

/**
 * The ports of nodes that services hold, in one value that all servers of a store share and change by comparing. Where
 * Kubernetes keeps it, and as it does.
 */
export class ServicePorts {
  readonly #store: PortStore;
  readonly #key: string;
  readonly #range: ServiceRanges['nodePorts'];
  #entry: Entry | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  private constructor(store: PortStore, key: string, range: ServiceRanges['nodePorts']) {
    this.#store = store;
    this.#key = key;
    this.#range = range;
  }

  static of({ services: { store }, resource }: ObjectRegistry, { nodePorts }: ServiceRanges): ServicePorts {
    if (!store) throw new Error('services need a store for their ports');
    let ports = known.get(store);
    if (!ports) {
      const root = resource.storagePrefix.slice(0, -'services/specs'.length);
      ports = new ServicePorts(store, `${root}ranges/servicenodeports`, nodePorts);
      known.set(store, ports);
    }
    return ports;
  }

  /** Without writing anything down. */
  async look<T>(decide: (taken: PortBitmap) => T): Promise<T> {
    this.#entry = await this.#store.get(this.#key);
    return decide(this.#read());
  }

  /** Changes what is taken and writes it down. May decide several times, until no other server was faster. */
  change<T>(decide: (taken: PortBitmap) => T): Promise<T> {
    const result = this.#turn.then(() => this.#change(decide));
    this.#turn = result.catch(() => {});
    return result;
  }

  async #change<T>(decide: (taken: PortBitmap) => T): Promise<T> {
    // Another server, or a reset of the store, may have released ports that were taken when this server last wrote.
    this.#entry = await this.#store.get(this.#key);
    for (;;) {
      const taken = this.#read();
      const before = taken.bytes();
      const result = decide(taken);
      if (this.#entry && taken.bytes().equals(before)) return result;
      if (await this.#write(taken)) return result;
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

  #read(): PortBitmap {
    const { first, last } = this.#range;
    const { range, data } = this.#entry && !(this.#entry instanceof CorruptEntry) ? decoded(this.#entry.value) : {};
    // What was written for another range speaks of other ports, and what is damaged of none; the repair writes it anew.
    const bytes = range === `${first}-${last}` && typeof data === 'string' ? Buffer.from(data, 'base64') : undefined;
    return new PortBitmap(first, last, bytes);
  }
}

/** Never served, so it is not among the types; what it has besides is nobody's business. */
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

/** Which ports of a range are taken, as Kubernetes writes it down: one large number, its bit 0 for the first port. */
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

  /** The number from its highest byte that is not zero to its lowest. */
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
