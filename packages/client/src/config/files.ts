import { readFileSync } from 'node:fs';
import { KubeconfigError } from './cluster-config.ts';

/** Throws KubeconfigError. */
export function readTextFile(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new KubeconfigError(`${name} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** client-go reads token files at most this often. */
const tokenLifeMs = 10_000;

/** The content of a file that is rotated: it is read again after ten seconds, or when it was refused. */
export class TokenFile {
  readonly #path: string;
  readonly #now: () => number;
  #token = '';
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(path: string, now: () => number = () => performance.now()) {
    this.#path = path;
    this.#now = now;
  }

  /** If the file cannot be read, the last token is used until it is refused. Throws KubeconfigError. */
  token(): string {
    if (this.#now() - this.#readAt < tokenLifeMs) return this.#token;
    try {
      this.#token = readTextFile(this.#path, 'the token').trim();
      this.#readAt = this.#now();
    } catch (error) {
      if (this.#token === '') throw error;
    }
    return this.#token;
  }

  /** Whether the file has another token by now. */
  refresh(): boolean {
    const refused = this.#token;
    this.#readAt = Number.NEGATIVE_INFINITY;
    return this.token() !== refused;
  }
}
