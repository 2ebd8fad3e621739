import type { Logger } from '../logger.ts';

export interface Compactable {
  revision(): Promise<number>;
  compact(revision: number): Promise<void>;
}

/** Compacts at every interval to the revision of the previous one, so that history is kept for one to two intervals. */
export function startCompaction(store: Compactable, intervalMs: number, logger: Logger): () => void {
  if (intervalMs <= 0) return () => {};
  let mark: number | undefined;
  const turn = async () => {
    try {
      const now = await store.revision();
      if (mark !== undefined && mark > 0) await store.compact(mark);
      mark = now;
    } catch (error) {
      logger.warn('compaction failed', { error: String(error) });
    }
  };
  void turn();
  const timer = setInterval(turn, intervalMs).unref();
  return () => clearInterval(timer);
}
