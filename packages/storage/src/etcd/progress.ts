const AGAIN_MS = 100;
const IDLE_MS = 5_000;

/** How far a watch has come. */
export interface Position {
  /** All changes up to this revision are delivered, or not wanted. */
  revision: number;
  /** The revision of the last batch. */
  told: number;
}

/**
 * Asks etcd to tell how far a watch is, where no change does: until a wanted revision is reached, and now and then, so
 * that a watch over quiet keys does not find its place compacted when it has to resume.
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

  /** A question that comes while the watcher lags is not answered at all. */
  #pursue(): void {
    clearTimeout(this.#again);
    if (this.#position.revision >= this.#wanted) return;
    this.#ask();
    this.#again = setTimeout(() => this.#pursue(), AGAIN_MS).unref();
  }
}

/** The first patch of each minor version whose progress responses can be used. */
const ORDERED_SINCE: Readonly<Record<string, number>> = { '3.4': 31, '3.5': 13 };

/**
 * Whether an answer to a progress request means what it says: every event up to its revision has been sent.
 *
 * Before 3.4.25 and 3.5.8 it does not. The answer goes through another channel than the events and names the
 * member's revision whether or not the watcher has come that far, so it may overtake events that wait in the channel,
 * and all those of a watcher that is still being caught up; a driver that believed it would skip them. When a watcher
 * has caught up cannot be told from outside, either: one that finds nothing to replay does so without a word. Up to
 * 3.4.30 and 3.5.12 the answer is ordered, but a request that meets a watcher still catching up is put off until the next
 * event, and all later requests with it.
 *
 * With these servers the driver asks for nothing and watches all keys instead of those below the prefix. Each revision
 * has an event, then, and events of one watcher come in order: when the event of a revision has arrived, everything
 * before it has. Notifications that etcd sends unasked are ordered in every version and always used; they are all that is
 * left where the user may not read all keys.
 */
export function progressIsOrdered(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/).map(Number);
  const since = ORDERED_SINCE[`${major}.${minor}`];
  return since === undefined ? major > 3 || (major === 3 && minor > 5) : patch >= since;
}
