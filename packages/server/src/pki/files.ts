import { chmodSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type NewFile, writeFilesAtomically } from '../atomic-file.ts';

/** Where keys and certificates are kept between starts. */
export interface PkiFiles {
  /** How to name a file in a message. */
  locate(name: string): string;
  read(name: string): string | undefined;
  /** Takes effect with `flush`, in the order of the calls. */
  put(name: string, content: string): void;
  flush(): void;
}

export function memoryFiles(): PkiFiles {
  const contents = new Map<string, string>();
  return {
    locate: (name) => name,
    read: (name) => contents.get(name),
    put: (name, content) => void contents.set(name, content),
    flush: () => {},
  };
}

/** A directory that only its owner may enter; files that are not public are readable by the owner only. */
export function directoryFiles(directory: string): PkiFiles {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const pending: NewFile[] = [];
  const locate = (name: string): string => join(directory, name);
  return {
    locate,
    read: (name) => readIfThere(locate(name), modeOf(name)),
    put: (name, content) => void pending.push({ path: locate(name), content, mode: modeOf(name) }),
    flush: () => writeFilesAtomically(pending.splice(0)),
  };
}

function modeOf(name: string): number {
  return name.endsWith('.key') ? 0o600 : 0o644;
}

function readIfThere(path: string, mode: number): string | undefined {
  try {
    if (mode === 0o600 && (statSync(path).mode & 0o077) !== 0) chmodSync(path, mode);
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
