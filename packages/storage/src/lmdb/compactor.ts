import { FutureRevision } from '../store.ts';
import type { LmdbEnvironment } from './environment.ts';
import { DAMAGED, type LogHead } from './file/records.ts';
import { readHeads } from './log.ts';
import type { LmdbWriter } from './writer.ts';

/** Each may dirty a page of the log: few enough that writes which share the transaction hardly notice. */
const REVISIONS_AT_ONCE = 128;

/**
 * Compaction. First the mark: from then on nobody may ask for what is older. Then, in small steps among the writes of
 * others, the log is cleared: a value goes when the change that replaced it lies below the mark. So every state that
 * may still be asked for, and what each change replaced, stays complete.
 */
export class Compactor {
  readonly #tables: LmdbEnvironment;
  readonly #writer: LmdbWriter;
  #sweeping: Promise<void> | undefined;

  constructor(tables: LmdbEnvironment, writer: LmdbWriter) {
    this.#tables = tables;
    this.#writer = writer;
  }

  async compact(revision: number): Promise<void> {
    const { state } = this.#writer;
    if (revision > state.revision) throw new FutureRevision(state.revision);
    if (revision > state.compacted) await this.#mark(revision);
    await this.sweep();
  }

  /** Clears the log up to the mark. Also to be called on start, for a sweep that was cut short. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepAll().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  /** Waits for a sweep under way, which ends once the writer is closed. */
  async stop(): Promise<void> {
    await this.#sweeping?.catch(() => {});
  }

  #mark(revision: number): Promise<void> {
    return this.#writer.chore(
      () => {},
      (state) => ({ ...state, compacted: Math.max(state.compacted, revision) }),
    );
  }

  async #sweepAll(): Promise<void> {
    while (this.#writer.state.swept < this.#writer.state.compacted) await this.#sweepSome();
  }

  async #sweepSome(): Promise<void> {
    const { swept, compacted } = this.#writer.state;
    const end = Math.min(compacted, swept + REVISIONS_AT_ONCE);
    // A record that is damaged or missing does not tell what it replaced, which then stays.
    const useless = readHeads(this.#tables, swept + 1, end).flatMap((head) => (head === DAMAGED ? [] : uselessAfter(head)));
    await this.#writer.chore(
      ({ log }) => {
        for (const revision of useless) log.remove(revision);
      },
      (state) => ({ ...state, swept: end }),
    );
  }
}

/** The revisions whose records nobody needs once a change is compacted. */
function uselessAfter({ type, revision, previous }: LogHead): number[] {
  const useless = previous > 0 ? [previous] : [];
  if (type === 'delete') useless.push(revision);
  return useless;
}
