import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { AuditFileOptions } from './audit-file.ts';

interface Backup {
  readonly name: string;
  readonly time: number;
  readonly isCompressed: boolean;
}

const dayMs = 24 * 3_600_000;

/** Removes the files that are too many or too old, and compresses the others if they are to be. */
export async function tidyBackups(path: string, options: AuditFileOptions): Promise<void> {
  const { maxBackups, maxAgeDays, compress, now = () => new Date() } = options;
  const backups = (await backupsOf(path)).sort((a, b) => b.time - a.time);
  const oldest = maxAgeDays > 0 ? now().getTime() - maxAgeDays * dayMs : Number.NEGATIVE_INFINITY;
  const isKept = (backup: Backup, i: number) => (maxBackups === 0 || i < maxBackups) && backup.time >= oldest;
  const place = ({ name }: Backup) => join(dirname(path), name);
  await Promise.all(backups.filter((backup, i) => !isKept(backup, i)).map((backup) => rm(place(backup), { force: true })));
  if (!compress) return;
  for (const backup of backups.filter(isKept)) if (!backup.isCompressed) await compressFile(place(backup));
}

async function backupsOf(path: string): Promise<Backup[]> {
  const extension = extname(path);
  const start = `${basename(path, extension)}-`;
  return (await readdir(dirname(path))).flatMap((name) => {
    const isCompressed = name.endsWith('.gz');
    const plain = isCompressed ? name.slice(0, -3) : name;
    if (!plain.startsWith(start) || !plain.endsWith(extension)) return [];
    const time = timeIn(plain.slice(start.length, plain.length - extension.length));
    return time === undefined ? [] : [{ name, time, isCompressed }];
  });
}

function timeIn(stamp: string): number | undefined {
  const match = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})$/.exec(stamp);
  const time = match ? Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Under another name until it is whole. */
async function compressFile(path: string): Promise<void> {
  const unfinished = `${path}.gz.tmp`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(unfinished, { mode: 0o600 }));
  await rename(unfinished, `${path}.gz`);
  await rm(path);
}
