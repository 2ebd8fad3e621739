import { FutureRevision } from '../store.ts';
import type { LmdbEnvironment } from './environment.ts';
import { DAMAGED, type LogHead } from './file/records.ts';
import { readHeads } from './log.ts';
import type { LmdbWriter } from './writer.ts';

/** Revisions per transaction. Each may dirty a page of the log; writes in the same transaction are hardly delayed by this many. */
const REVISIONS_AT_ONCE = 128;

/**
 * Compaction in two phases. First the compacted revision is committed: reads before it fail from then on. Then the log is swept
 * in small steps between other writes: a value is removed if the change that replaced it is compacted. So every state that can
 * still be read, and the previous value of every change, stays complete.
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

  /** Sweeps the log up to the compacted revision. Also called at start, to finish an interrupted sweep. */
  sweep(): Promise<void> {
    this.#sweeping ??= this.#sweepAll().finally(() => {
      this.#sweeping = undefined;
    });
    return this.#sweeping;
  }

  /** Waits for a sweep in flight, which ends once the writer is closed. */
  async stop(): Promise<void> {
    await this.#sweeping?.catch(() => {});
  }

  #mark(revision: number): Promise<void> {
    return this.#writer.runTask(
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
    // A corrupt or missing record does not say which value it replaced; that value stays.
    const obsolete = readHeads(this.#tables, swept + 1, end).flatMap((head) => (head === DAMAGED ? [] : obsoleteAfter(head)));
    await this.#writer.runTask(
      ({ log }) => {
        for (const revision of obsolete) log.remove(revision);
      },
      (state) => ({ ...state, swept: end }),
    );
  }
}

/** The revisions whose records are obsolete once a change is compacted. */
function obsoleteAfter({ type, revision, previous }: LogHead): number[] {
  const obsolete = previous > 0 ? [previous] : [];
  if (type === 'delete') obsolete.push(revision);
  return obsolete;
}
