const AGAIN_MS = 100;
const IDLE_MS = 5_000;

/** Position of a watch. */
export interface Position {
  /** All changes up to this revision are delivered or do not match. */
  revision: number;
  /** The revision of the last batch. */
  delivered: number;
}

/**
 * Sends progress requests: until a wanted revision is reached, and every few seconds, so that a watch over idle keys does not
 * find its position compacted when it resumes.
 */
export class Progress {
  readonly #position: Position;
  readonly #ask: () => void;
  readonly #idle: NodeJS.Timeout;
  #wanted = 0;
  #again: NodeJS.Timeout | undefined;

  constructor(position: Position, ask: () => void) {
    this.#position = position;
    this.#ask = ask;
    this.#idle = setInterval(ask, IDLE_MS).unref();
  }

  reach(revision: number): void {
    if (revision <= this.#wanted) return;
    this.#wanted = revision;
    this.#pursue();
  }

  stop(): void {
    clearInterval(this.#idle);
    clearTimeout(this.#again);
  }

  /** Repeats the request, because etcd ignores requests while the watcher is behind. */
  #pursue(): void {
    clearTimeout(this.#again);
    if (this.#position.revision >= this.#wanted) return;
    this.#ask();
    this.#again = setTimeout(() => this.#pursue(), AGAIN_MS).unref();
  }
}

/** First patch release of each minor version whose progress responses are reliable. */
const ORDERED_SINCE: Readonly<Record<string, number>> = { '3.4': 31, '3.5': 13 };

/**
 * Whether a progress response guarantees that every event up to its revision has been sent.
 *
 * Before 3.4.25 and 3.5.8 it does not. The response takes another channel than the events and carries the member's revision
 * regardless of the watcher's position. It may overtake queued events, and all events of a watcher that is still catching up; a
 * client that trusted it would skip them. A client cannot tell when a watcher has caught up either: nothing is sent if there
 * was nothing to replay. Up to 3.4.30 and 3.5.12 responses are ordered, but a request that meets a watcher still catching up is
 * postponed until the next event, together with all later requests.
 *
 * With these versions the driver sends no progress requests and watches all keys instead of the prefix. Then each revision has
 * an event, and events of one watcher are ordered: the event of a revision proves that everything before it has arrived.
 * Periodic progress notifications are ordered in every version and always used; they are the only source of progress where the
 * user may not read all keys.
 */
export function progressIsOrdered(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  const since = ORDERED_SINCE[`${major}.${minor}`];
  return since === undefined ? major > 3 || (major === 3 && minor > 5) : patch >= since;
}
