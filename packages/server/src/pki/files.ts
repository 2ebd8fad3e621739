import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type NewFile, writeFilesAtomically } from '../files/atomic-file.ts';

/** Storage of keys and certificates between starts. */
export interface PkiFiles {
  /** Name of a file for messages. */
  locate(name: string): string;
  read(name: string): string | undefined;
  /** Whether the server wrote the file's current content; only then may it be replaced. Undefined without a record. */
  isOwn(name: string): boolean | undefined;
  /** Written by `flush`, in call order. */
  put(name: string, content: string): void;
  flush(): Promise<void>;
}

export function memoryFiles(): PkiFiles {
  const contents = new Map<string, string>();
  return {
    locate: (name) => name,
    read: (name) => contents.get(name),
    isOwn: () => true,
    put: (name, content) => void contents.set(name, content),
    flush: async () => {},
  };
}

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
