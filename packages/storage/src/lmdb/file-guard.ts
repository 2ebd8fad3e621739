import { statSync } from 'node:fs';
import { join } from 'node:path';
import { Unavailable } from '../store.ts';

/** Minimum time between two checks. */
const TRUSTED_MS = 10;

/**
 * Detects that the file of an open database was truncated, replaced or removed. LMDB reads through a memory map, and access to
 * a page that is gone raises SIGBUS, so the store stops reading before. A change between a check and a read cannot be caught.
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

  /** Call before a read. Throws Unavailable, and then always. */
  beforeRead(): void {
    const now = performance.now();
    if (now - this.#lookedAt < TRUSTED_MS && !this.#failure) return;
    this.#lookedAt = now;
    this.check();
  }

  /** Throws Unavailable, and then always. */
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
