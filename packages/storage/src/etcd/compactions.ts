import { Compacted } from '../store.ts';
import type { Caller } from './rpc/caller.ts';
import { ServerWatch } from './watch/server-watch.ts';

const FIRST_REVISION = 1;
const PROBE_TIMEOUT_MS = 1_000;

/** What is known of the newest compaction. etcd tells it only to watchers that start before it. */
export class Compactions {
  readonly #caller: Caller;
  readonly #probeKey: string;
  #newest = 0;
  #probe: Promise<void> | undefined;

  constructor(caller: Caller, probeKey: string) {
    this.#caller = caller;
    this.#probeKey = probeKey;
  }

  note(revision: number): void {
    this.#newest = Math.max(this.#newest, revision);
  }

  /** The newest compacted revision, which is known to be after this one. */
  async newest(after: number): Promise<number> {
    if (this.#newest <= after) await this.#ask().catch(() => {});
    return Math.max(this.#newest, after + 1);
  }

  #ask(): Promise<void> {
    this.#probe ??= this.#watchFromStart().finally(() => {
      this.#probe = undefined;
    });
    return this.#probe;
  }

  async #watchFromStart(): Promise<void> {
    const member = await this.#caller.members.ready(performance.now() + PROBE_TIMEOUT_MS);
    const watch = await ServerWatch.open(this.#caller, member, { key: this.#probeKey }, FIRST_REVISION);
    const timer = setTimeout(() => watch.cancel(), PROBE_TIMEOUT_MS);
    try {
      for await (const _ of watch.responses());
    } catch (error) {
      if (error instanceof Compacted) this.note(error.oldest - 1);
    } finally {
      clearTimeout(timer);
    }
  }
}
