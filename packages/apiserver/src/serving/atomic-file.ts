import { closeSync, fsync, openSync, renameSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';

const sync = promisify(fsync);

export interface NewFile {
  readonly path: string;
  readonly content: string;
  readonly mode: number;
}

/**
 * Replaces files atomically: after a crash, each has either the old or the new content. Files are renamed in the given order.
 * They are synced concurrently in the thread pool, because sequential fsync took most of the start.
 */
export async function writeFilesAtomically(files: readonly NewFile[]): Promise<void> {
  const written: string[] = [];
  try {
    await allSettled(files.map((file) => writeBeside(file, written)));
    for (const { path } of files) renameSync(temporaryOf(path), path);
  } catch (error) {
    for (const path of written) removeIfThere(path);
    throw error;
  }
  await Promise.all([...new Set(files.map(({ path }) => dirname(path)))].map(syncDirectory));
}

/** Replaces a file that is rewritten at every start. Readers never see partial content; a power failure may leave it empty. */
export function replaceFile({ path, content, mode }: NewFile): void {
  const temporary = temporaryOf(path);
  removeIfThere(temporary);
  try {
    writeFileSync(temporary, content, { mode, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
}

/** Unlike Promise.all, rejects only after all promises have settled. */
async function allSettled(work: readonly Promise<void>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
}

function temporaryOf(path: string): string {
  return `${path}.${process.pid}.tmp`;
}

async function writeBeside({ path, content, mode }: NewFile, written: string[]): Promise<void> {
  const temporary = temporaryOf(path);
  removeIfThere(temporary);
  const descriptor = openSync(temporary, 'wx', mode);
  written.push(temporary);
  try {
    writeSync(descriptor, content);
    await sync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function syncDirectory(path: string): Promise<void> {
  const descriptor = openSync(path, 'r');
  try {
    await sync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
