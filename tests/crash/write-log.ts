export type WriteKind = 'create' | 'update' | 'patch' | 'delete';

/** A write is unknown if it was in flight when the server died. */
export type Outcome =
  | { readonly is: 'unknown' }
  | { readonly is: 'refused' }
  | { readonly is: 'acknowledged'; readonly uid: string; readonly version: number | undefined };

export interface Write {
  readonly id: string;
  readonly kind: WriteKind;
  readonly name: string;
  /** The uid of the updated or deleted object; undefined for a create. */
  readonly uid: string | undefined;
  /** The newest resourceVersion seen by any client when the write was sent. */
  readonly after: number;
  outcome: Outcome;
}

/** All writes with their outcomes. */
export class WriteLog {
  readonly writes = new Map<string, Write>();
  #newest = 0;
  #awaited: { left: number; readonly resolve: () => void } | undefined;

  /** The newest resourceVersion in any response or event. */
  get newest(): number {
    return this.#newest;
  }

  saw(version: number): void {
    this.#newest = Math.max(this.#newest, version);
  }

  begin(kind: WriteKind, name: string, uid?: string): Write {
    const write: Write = { id: `w${this.writes.size}`, kind, name, uid, after: this.#newest, outcome: { is: 'unknown' } };
    this.writes.set(write.id, write);
    return write;
  }

  acknowledge(write: Write, uid: string, version?: number): void {
    write.outcome = { is: 'acknowledged', uid, version };
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
