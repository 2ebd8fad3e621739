import type { Feed } from '@tsukube/apiserver';
import type { Change } from '@tsukube/storage';

type FeedListener = Parameters<Feed['listen']>[0];

/** Gives the changes in another version; undefined if they are in it already. */
export type ConvertChanges = (changes: readonly Change[]) => Promise<readonly Change[]> | undefined;

/** Batches that may wait for a conversion; beyond that it is quicker to read everything anew. */
const maxWaiting = 1000;

/**
 * The stream of changes with what has to be converted first. It is as far as what has been converted; what comes meanwhile
 * waits its turn. If the conversion fails, that is a gap: whoever asks next learns why.
 */
export function convertedFeed(feed: Feed, convert: ConvertChanges, onError: (error: unknown) => void): Feed {
  let waiting = 0;
  let reached = feed.revision;
  let last: Promise<void> = Promise.resolve();

  const inTurn = (step: () => Promise<void> | void, revision: number): void => {
    waiting++;
    last = last.then(step).finally(() => {
      waiting--;
      reached = revision;
    });
  };

  const deliver = (listener: FeedListener, changes: readonly Change[]): void => {
    const converting = waiting < maxWaiting ? convert(changes) : Promise.reject(new Error('too much waits for conversion'));
    if (!converting && waiting === 0) {
      listener.onChanges(changes);
      return;
    }
    // It is awaited in its turn, which may come after it has failed.
    converting?.catch(() => {});
    if (waiting === 0) reached = (changes[0]?.entry.revision ?? feed.revision) - 1;
    inTurn(async () => {
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
        onGap: () => inTurn(() => listener.onGap(), feed.revision),
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
