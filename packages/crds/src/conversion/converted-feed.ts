import type { Feed } from '@tsukube/apiserver';
import type { Change } from '@tsukube/storage';

type FeedListener = Parameters<Feed['listen']>[0];

/** Converts the objects of changes; undefined if none needs conversion. */
export type ConvertChanges = (changes: readonly Change[]) => Promise<readonly Change[]> | undefined;

/** Limit of batches that wait for a conversion. Beyond it, a relist is cheaper. */
const maxWaiting = 1000;

/**
 * A change feed whose objects are converted. Its revision is that of the last converted batch, and later batches wait. A failed
 * conversion is reported as a gap; the next list then returns the error.
 */
export function convertedFeed(feed: Feed, convert: ConvertChanges, onError: (error: unknown) => void): Feed {
  let waiting = 0;
  let reached = feed.revision;
  let last: Promise<void> = Promise.resolve();

  const enqueue = (step: () => Promise<void> | void, revision: number): void => {
    waiting++;
    last = last.then(step).finally(() => {
      waiting--;
      reached = revision;
    });
  };

  const deliver = (listener: FeedListener, changes: readonly Change[]): void => {
    const converting =
      waiting < maxWaiting ? convert(changes) : Promise.reject(new Error('too many batches wait for conversion'));
    if (!converting && waiting === 0) {
      listener.onChanges(changes);
      return;
    }
    // Handled when the batch is delivered, which may be after the rejection.
    converting?.catch(() => {});
    if (waiting === 0) reached = (changes[0]?.entry.revision ?? feed.revision) - 1;
    enqueue(async () => {
      try {
        listener.onChanges((await converting) ?? changes);
      } catch (error) {
        onError(error);
        listener.onGap();
      }
    }, feed.revision);
  };

  return {
    get revision() {
      return waiting === 0 ? feed.revision : reached;
    },
    listen: (listener) =>
      feed.listen({
        prefix: listener.prefix,
        onChanges: (changes) => deliver(listener, changes),
        onGap: () => enqueue(() => listener.onGap(), feed.revision),
        onCompaction: (revision) => listener.onCompaction?.(revision),
      }),
    caughtUp() {
      const outer = feed.caughtUp();
      if (!outer && waiting === 0) return undefined;
      return Promise.resolve(outer).then(async (fresh) => {
        await last;
        return fresh ?? true;
      });
    },
    fence: feed.fence,
    compact: () => {},
    close: () => {},
  };
}
