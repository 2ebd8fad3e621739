/** A destination of log lines. Writes may fail; lost lines are counted. */
export interface LineTarget {
  write(text: string): Promise<void>;
  /** Synchronous, for process exit. */
  writeSync(text: string): void;
  close(): Promise<void>;
}

/** Queues lines and writes them in batches. */
export interface LineQueue {
  push(line: string): void;
  flushSync(): void;
  close(): Promise<void>;
}

export interface LineQueueOptions {
  /** Maximum queued characters; further lines are dropped, so that a slow disk or terminal costs neither memory nor time. */
  readonly limit?: number;
  /** The line that replaces dropped ones. */
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
    // Lines of the same iteration of the event loop are written together.
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
