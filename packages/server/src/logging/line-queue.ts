/** Where lines end up. Both ways of writing may fail; what is lost is counted. */
export interface LineTarget {
  write(text: string): Promise<void>;
  /** For the last moments of a process, when nothing asynchronous happens any more. */
  writeSync(text: string): void;
  close(): Promise<void>;
}

/** Takes lines at any speed and hands them to a target one batch at a time. */
export interface LineQueue {
  push(line: string): void;
  flushSync(): void;
  close(): Promise<void>;
}

export interface LineQueueOptions {
  /** Lines beyond this many characters waiting are dropped: a slow disk or terminal must not cost memory or time. */
  readonly limit?: number;
  /** The line that stands for those that were dropped. */
  readonly lost: (count: number) => string;
}

export function lineQueue(target: LineTarget, { limit = 1 << 20, lost }: LineQueueOptions): LineQueue {
  let waiting: string[] = [];
  let size = 0;
  let dropped = 0;
  let pumping: Promise<void> | undefined;

  function push(line: string): void {
    if (size + line.length > limit) {
      dropped++;
      return;
    }
    waiting.push(line);
    size += line.length;
    pumping ??= pump().finally(() => {
      pumping = undefined;
    });
  }

  function take(): { text: string; lines: number } {
    const lines = waiting.length;
    const text = waiting.join('') + (dropped > 0 ? lost(dropped) : '');
    [waiting, size, dropped] = [[], 0, 0];
    return { text, lines };
  }

  async function pump(): Promise<void> {
    // What is logged in this turn of the loop goes out in one write.
    await Promise.resolve();
    while (waiting.length > 0) {
      const { text, lines } = take();
      await target.write(text).catch(() => {
        dropped += lines;
      });
    }
  }

  return {
    push,
    flushSync() {
      if (waiting.length > 0) target.writeSync(take().text);
    },
    async close() {
      while (pumping) await pumping;
      await target.close();
    },
  };
}
