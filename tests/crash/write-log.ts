export type WriteKind = 'create' | 'update' | 'patch' | 'delete';

/** A write is unknown if it was in flight when the server died. */
export type Outcome =
  | { readonly is: 'unknown' }
  | { readonly is: 'refused'; readonly isConflict?: boolean }
  | { readonly is: 'acknowledged'; readonly uid: string; readonly version: number | undefined };

export interface Write {
  readonly id: string;
  readonly kind: WriteKind;
  readonly name: string;
  /** The uid of the updated or deleted object; undefined for a create. */
  readonly uid: string | undefined;
  /** The newest resourceVersion seen by any client when the write was sent. */
  readonly after: number;
  /** The id of the write whose result it changes, if it fails in any other state. */
  readonly base: string | undefined;
  readonly called: number;
  returned: number | undefined;
  outcome: Outcome;
}

/** The state of an object as a client has read it: the id of its last write, or empty if it did not exist. */
export interface Read {
  readonly name: string;
  readonly write: string;
  readonly called: number;
  readonly returned: number;
}

/** All writes with their outcomes. */
export class WriteLog {
  readonly writes = new Map<string, Write>();
  readonly reads: Read[] = [];
  #newest = 0;
  #awaited: { left: number; readonly resolve: () => void } | undefined;

  /** The newest resourceVersion in any response or event. */
  get newest(): number {
    return this.#newest;
  }

  saw(version: number): void {
    this.#newest = Math.max(this.#newest, version);
  }

  begin(kind: WriteKind, name: string, uid?: string, base?: string): Write {
    const id = `w${this.writes.size}`;
    const called = performance.now();
    const outcome = { is: 'unknown' } as const;
    const write: Write = { id, kind, name, uid, after: this.#newest, base, called, returned: undefined, outcome };
    this.writes.set(id, write);
    return write;
  }

  /** Nothing was written; with `isConflict`, because the object was not in the state that the write expected. */
  refuse(write: Write, isConflict = false): void {
    write.outcome = { is: 'refused', isConflict };
    write.returned = performance.now();
  }

  read(name: string, write: string, called: number, returned = performance.now()): void {
    this.reads.push({ name, write, called, returned });
  }

  acknowledge(write: Write, uid: string, version?: number): void {
    write.outcome = { is: 'acknowledged', uid, version };
    write.returned = performance.now();
    if (version !== undefined) this.saw(version);
    if (this.#awaited && --this.#awaited.left === 0) this.#awaited.resolve();
  }

  /** Resolves when `count` more writes have been acknowledged. */
  acknowledged(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { left: count, resolve };
    });
  }

  count(is: Outcome['is']): number {
    return [...this.writes.values()].filter(({ outcome }) => outcome.is === is).length;
  }
}
