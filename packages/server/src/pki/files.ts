import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type NewFile, writeFilesAtomically } from '../files/atomic-file.ts';

/** Where keys and certificates are kept between starts. */
export interface PkiFiles {
  /** How to name a file in a message. */
  locate(name: string): string;
  read(name: string): string | undefined;
  /** Whether the server wrote the file as it is now. Only such files may be replaced. Undefined where nothing was recorded. */
  isOwn(name: string): boolean | undefined;
  /** Takes effect with `flush`, in the order of the calls. */
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

/** Digests of the files that the server wrote, in the format of sha256sum. */
const record = 'made-by-tsukube.sha256';

/** A directory that only its owner may enter; keys that the server made are readable by the owner only. */
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
      // The record comes first: after a crash each file is either the old one or the new one, and both are recorded.
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
