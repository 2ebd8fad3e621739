import type { Logger } from '@tsukube/apiserver';

export interface Compactable {
  revision(): Promise<number>;
  compact(revision: number): Promise<void>;
}

/** Every interval, forgets the history that is older than one: what is kept is between one and two intervals old. */
export function startCompaction(store: Compactable, intervalMs: number, logger: Logger): () => void {
  if (intervalMs <= 0) return () => {};
  let mark: number | undefined;
  const turn = async () => {
    try {
      const now = await store.revision();
      if (mark !== undefined && mark > 0) await store.compact(mark);
      mark = now;
    } catch (error) {
      logger.warn('history could not be compacted', { error: String(error) });
    }
  };
  void turn();
  const timer = setInterval(turn, intervalMs).unref();
  return () => clearInterval(timer);
}
