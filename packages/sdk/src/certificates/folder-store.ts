import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CertificateStore, certificateFileNames } from './certificate-store.ts';

/** Certificates in a folder, for replicas on one machine or on a shared volume. Keys are readable by their owner only. */
export function folderStore(folder: string): CertificateStore {
  const locate = (name: string): string => join(folder, name);
  return {
    async load() {
      const entries = await Promise.all(
        certificateFileNames.map(async (name) => [name, await readIfThere(locate(name))] as const),
      );
      const files = new Map(entries.flatMap(([name, text]): [string, string][] => (text === undefined ? [] : [[name, text]])));
      return { files, version: files.has('ca.key') ? 'stored' : undefined };
    },
    async save(files, { version }) {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // One replica creates the CA; the others find its key and load again.
      if (version === undefined && !(await createFile(locate('ca.key'), files.get('ca.key') ?? ''))) return false;
      for (const [name, text] of files) await replaceFileWith(locate(name), text);
      return true;
    },
  };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** False if the file exists. The file appears with its whole content. */
async function createFile(path: string, text: string): Promise<boolean> {
  const temporary = await writeTemporary(path, text);
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
}

async function replaceFileWith(path: string, text: string): Promise<void> {
  await rename(await writeTemporary(path, text), path);
}

async function writeTemporary(path: string, text: string): Promise<string> {
  const temporary = `${path}.${randomUUID()}.tmp`;
  await writeFile(temporary, text, { mode: path.endsWith('.key') ? 0o600 : 0o644, flag: 'wx' });
  return temporary;
}
