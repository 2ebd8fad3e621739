import { endOfPlainMetadata, foregroundFinalizer, orphanFinalizer, plainMetadata } from '@tsukube/apiserver';
import { deepEqual, type ObjectMeta, type OwnerReference } from '@tsukube/machinery';
import { type Change, eachInSlices } from '@tsukube/storage';
import type { Dependent, OwnerGraph } from './owner-graph.ts';

const ownersMark = Buffer.from('"ownerReferences":[');
const deletionMark = Buffer.from('"deletionTimestamp":"');
const maxDeleted = 1000;

/** Updates the graph with every write and enqueues the objects that are affected. */
export class GraphBuilder {
  readonly #graph: OwnerGraph;
  readonly #enqueue: (key: string) => void;
  /** uid → key of objects that wait for their dependents. */
  readonly #waiting = new Map<string, string>();
  /** uids of recently deleted objects. */
  readonly #deleted = new Set<string>();

  constructor(graph: OwnerGraph, enqueue: (key: string) => void) {
    this.#graph = graph;
    this.#enqueue = enqueue;
  }

  /** Whether an object with this uid was deleted recently. */
  isDeleted(uid: string): boolean {
    return this.#deleted.has(uid);
  }

  rememberDeleted(uid: string): void {
    const [oldest] = this.#deleted;
    if (oldest !== undefined && this.#deleted.size >= maxDeleted) this.#deleted.delete(oldest);
    this.#deleted.add(uid);
  }

  /** Clears the graph. The next scan rebuilds it and enqueues every dependent. */
  reset(): void {
    this.#graph.clear();
    this.#waiting.clear();
  }

  onChange({ type, entry }: Change): void {
    const { key, value } = entry;
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    if (type === 'put') this.onObject(key, bytes);
    else if (this.#graph.size > 0 || this.#waiting.size > 0) this.#onRemoved(key, plainMetadata(bytes));
  }

  /** Runs for every write. Objects without owners that are not being deleted are not parsed. */
  onObject(key: string, bytes: Buffer): void {
    const end = endOfPlainMetadata(bytes);
    const head = end === bytes.length ? bytes : bytes.subarray(0, end);
    const isDeleting = head.includes(deletionMark);
    if (!isDeleting && !head.includes(ownersMark) && !this.#graph.get(key)) return;
    const metadata: ObjectMeta = plainMetadata(bytes);
    const waits = waitsFor(metadata);
    this.#setOwners({ key, owners: ownersIn(metadata), waits: waits === 'deletion' });
    if (waits !== undefined) this.#onWaiting(key, metadata.uid ?? '');
  }

  #setOwners(dependent: Dependent): void {
    const { key, owners } = dependent;
    const before = this.#graph.get(key);
    this.#graph.set(dependent);
    if (deepEqual([...(before?.owners ?? [])], [...owners])) return;
    if (owners.length > 0) this.#enqueue(key);
    for (const { uid } of before?.owners ?? []) this.#enqueueWaiting(uid);
  }

  #onWaiting(key: string, uid: string): void {
    this.#waiting.set(uid, key);
    this.#enqueueAll(this.#graph.dependentsOf(uid));
    this.#enqueue(key);
  }

  #onRemoved(key: string, { uid = '' }: ObjectMeta): void {
    const before = this.#graph.get(key);
    this.#graph.remove(key);
    this.#waiting.delete(uid);
    for (const owner of before?.owners ?? []) this.#enqueueWaiting(owner.uid);
    const dependents = this.#graph.dependentsOf(uid);
    if (dependents.size > 0) this.rememberDeleted(uid);
    this.#enqueueAll(dependents);
  }

  /** In slices: an owner may have any number of dependents. */
  #enqueueAll(keys: ReadonlySet<string>): void {
    if (keys.size > 0) void eachInSlices([...keys], (key) => this.#enqueue(key));
  }

  /** Enqueues an owner that waits for its dependents if none blocks it any more. */
  #enqueueWaiting(uid: string): void {
    const key = this.#waiting.get(uid);
    if (key !== undefined && !this.#graph.isBlocked(uid)) this.#enqueue(key);
  }
}

export function ownersIn({ ownerReferences }: ObjectMeta): OwnerReference[] {
  return ownerReferences ?? [];
}

export function finalizersIn({ finalizers }: ObjectMeta): readonly string[] {
  return finalizers ?? [];
}

/** Whether an object that is being deleted waits until its dependents are orphaned, or until they are deleted. */
export function waitsFor(metadata: ObjectMeta): 'orphaning' | 'deletion' | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  const finalizers = finalizersIn(metadata);
  if (finalizers.includes(orphanFinalizer)) return 'orphaning';
  return finalizers.includes(foregroundFinalizer) ? 'deletion' : undefined;
}
