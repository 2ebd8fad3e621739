import { endOfPlainMetadata, foregroundFinalizer, orphanFinalizer, plainMetadata } from '@tsukube/apiserver';
import { deepEqual, type JsonObject, type JsonValue } from '@tsukube/machinery';
import type { Change } from '@tsukube/storage';
import type { Dependent, OwnerGraph, OwnerReference } from './owner-graph.ts';

const ownersMark = Buffer.from('"ownerReferences":[');
const deletionMark = Buffer.from('"deletionTimestamp":"');
const maxGone = 1000;

/** Keeps the graph up to date with what is written, and tells which objects have to be looked at. */
export class Observer {
  readonly #graph: OwnerGraph;
  readonly #look: (key: string) => void;
  /** The keys of what waits for its dependents, by uid. */
  readonly #waiting = new Map<string, string>();
  /** The uids of what was last seen to go. */
  readonly #gone = new Set<string>();

  constructor(graph: OwnerGraph, look: (key: string) => void) {
    this.#graph = graph;
    this.#look = look;
  }

  /** Whether the object of this uid was seen to go, not long ago. */
  isGone(uid: string): boolean {
    return this.#gone.has(uid);
  }

  noteGone(uid: string): void {
    if (this.#gone.size >= maxGone) this.#gone.delete(this.#gone.values().next().value as string);
    this.#gone.add(uid);
  }

  /** Forgets the graph: the next scan builds it again and queues every dependent. */
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

  /** Runs for every write: most objects belong to nobody and are not going, and are not parsed. */
  onObject(key: string, bytes: Buffer): void {
    const end = endOfPlainMetadata(bytes);
    const head = end === bytes.length ? bytes : bytes.subarray(0, end);
    const going = head.includes(deletionMark);
    if (!going && !head.includes(ownersMark) && !this.#graph.get(key)) return;
    const metadata = plainMetadata(bytes);
    const waits = waitsFor(metadata);
    this.#setOwners({ key, owners: ownersIn(metadata), waits: waits === 'deletion' });
    if (waits !== undefined) this.#onWaiting(key, metadata.uid as string);
  }

  #setOwners(dependent: Dependent): void {
    const { key, owners } = dependent;
    const before = this.#graph.get(key);
    this.#graph.set(dependent);
    if (deepEqual((before?.owners ?? []) as unknown as JsonValue, owners as unknown as JsonValue)) return;
    if (owners.length > 0) this.#look(key);
    for (const { uid } of before?.owners ?? []) this.#lookAtWaiting(uid);
  }

  #onWaiting(key: string, uid: string): void {
    this.#waiting.set(uid, key);
    for (const dependent of this.#graph.dependentsOf(uid)) this.#look(dependent);
    this.#look(key);
  }

  #onRemoved(key: string, metadata: JsonObject): void {
    const uid = metadata.uid as string;
    const before = this.#graph.get(key);
    this.#graph.remove(key);
    this.#waiting.delete(uid);
    for (const owner of before?.owners ?? []) this.#lookAtWaiting(owner.uid);
    const dependents = this.#graph.dependentsOf(uid);
    if (dependents.size > 0) this.noteGone(uid);
    for (const dependent of dependents) this.#look(dependent);
  }

  /** It may be that nothing keeps it any more. */
  #lookAtWaiting(uid: string): void {
    const key = this.#waiting.get(uid);
    if (key !== undefined) this.#look(key);
  }
}

export function ownersIn(metadata: JsonObject): OwnerReference[] {
  return (metadata.ownerReferences ?? []) as unknown as OwnerReference[];
}

export function finalizersIn(metadata: JsonObject): readonly string[] {
  return (metadata.finalizers ?? []) as string[];
}

/** What an object that is going waits for: that its dependents have become free of it, or that they are gone. */
export function waitsFor(metadata: JsonObject): 'orphaning' | 'deletion' | undefined {
  if (metadata.deletionTimestamp === undefined) return undefined;
  const finalizers = finalizersIn(metadata);
  if (finalizers.includes(orphanFinalizer)) return 'orphaning';
  return finalizers.includes(foregroundFinalizer) ? 'deletion' : undefined;
}
