import { write, writeSync } from 'node:fs';
import { promisify } from 'node:util';
import type { LineTarget } from './line-queue.ts';

const writeText: (descriptor: number, text: string) => Promise<unknown> = promisify(write);

/** Written off the main thread: process.stderr would stop the whole server while nobody reads the pipe. */
export const standardError: LineTarget = {
  async write(text) {
    await writeText(2, text);
  },
  writeSync: (text) => void writeSync(2, text),
  close: async () => {},
};
