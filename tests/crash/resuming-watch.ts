import type { Any } from '../support/client.ts';
import { isWhole } from './content.ts';
import type { Wire } from './wire.ts';

/** The checked part of an event. */
export interface Observed {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly name: string;
  readonly uid: string;
  readonly version: number;
  /** The id of the write, and the write count of the object. Undefined if the content is incomplete. */
  readonly write: string | undefined;
  readonly count: number;
}

/** A watch that resumes after its last event whenever the server restarts. */
export class ResumingWatch {
  readonly events: Observed[] = [];
  /** Bookmarks received; a resumed watch starts at the last one. */
  bookmarks = 0;
  readonly selector: string;
  readonly from: number;
  readonly #path: string;
  readonly #onVersion: (version: number) => void;
  #last: number;

  constructor(path: string, selector: string, from: number, onVersion: (version: number) => void) {
    this.#path = path;
    this.selector = selector;
    this.from = from;
    this.#last = from;
    this.#onVersion = onVersion;
  }

  /** Watches until the server dies or ends the watch. */
  follow(wire: Wire): Promise<void> {
    const path = `${this.#path}?watch=1&resourceVersion=${this.#last}${this.selector}`;
    return wire.watch(path, (event) => this.#take(event));
  }

  /** All events up to a bookmark have been delivered: a later one with an older version is a failure. */
  #pass(version: number): void {
    if (version < this.#last) throw new Error(`a bookmark of ${version} came after ${this.#last}`);
    this.#last = version;
    this.#onVersion(version);
  }

  #take({ type, object }: Any): void {
    if (type === 'ERROR') throw new Error(`the watch failed: ${JSON.stringify(object)}`);
    if (type === 'BOOKMARK') {
      this.#pass(Number(object.metadata.resourceVersion));
      this.bookmarks++;
      return;
    }
    const seen = observed(type, object);
    if (seen.version <= this.#last) throw new Error(`an event of ${seen.version} came after one of ${this.#last}`);
    this.#last = seen.version;
    this.#onVersion(seen.version);
    this.events.push(seen);
  }
}

export function observed(type: Observed['type'], { metadata, data }: Any): Observed {
  return {
    type,
    name: metadata.name,
    uid: metadata.uid,
    version: Number(metadata.resourceVersion),
    write: isWhole(data) ? data.write : undefined,
    count: Number(data?.count),
  };
}
