import { closeSync, fsyncSync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

export interface NewFile {
  readonly path: string;
  readonly content: string;
  readonly mode: number;
}

/**
 * Replaces files so that a crash leaves of each either the old or the new content, never a part. Files are renamed into
 * place in the order given.
 */
export function writeFilesAtomically(files: readonly NewFile[]): void {
  const written: string[] = [];
  try {
    for (const file of files) written.push(writeBeside(file));
    for (const [index, { path }] of files.entries()) renameSync(written[index] as string, path);
  } catch (error) {
    for (const path of written) removeIfThere(path);
    throw error;
  }
  for (const directory of new Set(files.map(({ path }) => dirname(path)))) syncDirectory(directory);
}

function writeBeside({ path, content, mode }: NewFile): string {
  const temporary = `${path}.${process.pid}.tmp`;
  removeIfThere(temporary);
  const descriptor = openSync(temporary, 'wx', mode);
  try {
    writeSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  return temporary;
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
