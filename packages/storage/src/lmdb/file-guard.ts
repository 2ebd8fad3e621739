import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Unavailable } from '../store.ts';

/** Reads between two looks at the file trust it. */
const TRUSTED_MS = 10;

/**
 * Notices that the file of an open database was cut off, replaced or removed. LMDB reads through a map of the file, and the
 * system ends a process that reads a part of a map which is no longer there: the store stops reading before that. What
 * happens between a look and a read cannot be prevented.
 */
export class FileGuard {
  readonly #path: string;
  readonly #inode: number;
  #size: number;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #failure: Unavailable | undefined;

  constructor(directory: string) {
    this.#path = join(directory, 'data.mdb');
    const { ino, size } = statSync(this.#path);
    this.#inode = ino;
    this.#size = size;
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** Before a read. Fails with Unavailable, and then for good. */
  beforeRead(): void {
    const now = performance.now();
    if (now - this.#lookedAt < TRUSTED_MS && !this.#failure) return;
    this.#lookedAt = now;
    this.check();
  }

  /** Fails with Unavailable, and then for good. */
  check(): void {
    this.#failure ??= this.#look();
    if (this.#failure) throw this.#failure;
  }

  #look(): Unavailable | undefined {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    if (found === undefined) return this.#failed('was removed');
    if (found.ino !== this.#inode) return this.#failed('was replaced');
    if (found.size < this.#size) return this.#failed(`was cut from ${this.#size} to ${found.size} bytes`);
    this.#size = found.size;
    return undefined;
  }

  #failed(what: string): Unavailable {
    return new Unavailable(`${this.#path} ${what} while it was in use`, { unwritten: true });
  }
}
