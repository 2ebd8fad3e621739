export type WriteKind = 'create' | 'update' | 'patch' | 'delete';

/** A write that stays unknown was under way when the server died: it may have taken place, or not. */
export type Outcome =
  | { readonly is: 'unknown' }
  | { readonly is: 'refused' }
  | { readonly is: 'acknowledged'; readonly uid: string; readonly version: number | undefined };

export interface Write {
  readonly id: string;
  readonly kind: WriteKind;
  readonly name: string;
  /** The object that is changed or removed; a new one has none yet. */
  readonly uid: string | undefined;
  /** The newest version that anybody had seen when the write was sent. */
  readonly after: number;
  outcome: Outcome;
}

/** All that was asked of the server, and what it said to it. */
export class WriteLog {
  readonly writes = new Map<string, Write>();
  #newest = 0;
  #awaited: { left: number; readonly resolve: () => void } | undefined;

  /** The newest version that any answer or event has shown. */
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

  /** Resolves when so many more writes have been acknowledged. */
  acknowledged(count: number): Promise<void> {
    return new Promise((resolve) => {
      this.#awaited = { left: count, resolve };
    });
  }

  count(is: Outcome['is']): number {
    return [...this.writes.values()].filter(({ outcome }) => outcome.is === is).length;
  }
}
