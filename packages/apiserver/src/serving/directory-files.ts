import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { PkiFiles } from '@tsukube/machinery/pki';
import { type NewFile, writeFilesAtomically } from './atomic-file.ts';

/** Digests of files written by the server, in sha256sum format. */
const record = 'made-by-tsukube.sha256';

/** A directory accessible to its owner only; generated keys are readable by the owner only. */
export function directoryFiles(directory: string): PkiFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pending: NewFile[] = [];
  const locate = (name: string): string => join(directory, name);
  const read = (name: string) => readIfThere(locate(name));
  const recorded = () =>
    read(record)
      ?.split('\n')
      .filter((line) => line !== '');
  const isOwn = (name: string) => recorded()?.includes(lineOf(name, read(name) ?? ''));
  return {
    locate,
    read(name) {
      const content = read(name);
      if (content !== undefined && name.endsWith('.key')) closeToOthers(locate(name), () => isOwn(name) === true);
      return content;
    },
    isOwn,
    put: (name, content) => void pending.push({ path: name, content, mode: modeOf(name) }),
    async flush() {
      const files = pending.splice(0);
      if (files.length === 0) return;
      // The record is written first: after a crash each file is the old or the new one, and both are recorded.
      const lines = files.map(({ path, content }) => lineOf(path, content));
      const content = [...stillTrue(recorded() ?? [], read), ...lines].map((line) => `${line}\n`).join('');
      await writeFilesAtomically([{ path: locate(record), content, mode: 0o644 }]);
      await writeFilesAtomically(files.map((file) => ({ ...file, path: locate(file.path) })));
    },
  };
}

function lineOf(name: string, content: string): string {
  return `${createHash('sha256').update(content).digest('hex')}  ${name}`;
}

function stillTrue(lines: readonly string[], read: (name: string) => string | undefined): readonly string[] {
  return lines.filter((line) => {
    const name = line.slice(line.indexOf('  ') + 2);
    return line === lineOf(name, read(name) ?? '');
  });
}

function modeOf(name: string): number {
  return name.endsWith('.key') ? 0o600 : 0o644;
}

function closeToOthers(path: string, isOwn: () => boolean): void {
  if ((statSync(path).mode & 0o077) !== 0 && isOwn()) chmodSync(path, 0o600);
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
