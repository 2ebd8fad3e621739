import { closeSync, fstatSync, mkdirSync, openSync, renameSync, write, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import type { LineTarget } from './line-queue.ts';

export interface RotationOptions {
  /** Size at which the file is rotated. */
  readonly maxBytes?: number;
  /** Maximum number of files, including the current one. */
  readonly maxFiles?: number;
}

const writeText: (descriptor: number, text: string) => Promise<unknown> = promisify(write);

/** A file that is rotated to `name.1`, `name.2` … when it is full; the oldest is overwritten. */
export function rotatingFile(path: string, { maxBytes = 10 << 20, maxFiles = 5 }: RotationOptions = {}): LineTarget {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let descriptor = openSync(path, 'a', 0o600);
  let size = fstatSync(descriptor).size;

  // Synchronous renames are fine: they take microseconds and are rare.
  function makeRoom(bytes: number): void {
    if (size === 0 || size + bytes <= maxBytes) return;
    closeSync(descriptor);
    for (let number = maxFiles - 1; number > 0; number--) renameIfThere(numbered(number - 1), numbered(number));
    descriptor = openSync(path, 'a', 0o600);
    size = 0;
  }

  const numbered = (number: number): string => (number === 0 ? path : `${path}.${number}`);

  function admit(text: string): void {
    const bytes = Buffer.byteLength(text);
    makeRoom(bytes);
    size += bytes;
  }

  return {
    async write(text) {
      admit(text);
      await writeText(descriptor, text);
    },
    writeSync(text) {
      admit(text);
      writeSync(descriptor, text);
    },
    async close() {
      closeSync(descriptor);
    },
  };
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
