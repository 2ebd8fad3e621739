import { closeSync, createReadStream, createWriteStream, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export interface AuditFileOptions {
  /** 0 for no limit. */
  readonly maxBytes: number;
  readonly maxBackups: number;
  readonly maxAgeDays: number;
  readonly compress: boolean;
  readonly now?: () => Date;
  /** Called with errors of the removal or compression of backups. */
  readonly onError?: (error: unknown) => void;
}

export interface AuditFile {
  /** The lines are written to the file when it returns. Throws if they cannot be. */
  write(lines: string): void;
  close(): Promise<void>;
}

/** A log file that is rotated to `audit-2026-01-02T03-04-05.678.log` when it is full. */
export function auditFile(path: string, options: AuditFileOptions): AuditFile {
  const { maxBytes, now = () => new Date() } = options;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let descriptor = openSync(path, 'a', 0o600);
  let size = fstatSync(descriptor).size;
  let tidying: Promise<void> = Promise.resolve();

  function tidy(): void {
    tidying = tidying.then(() => removeOldBackups(path, options)).catch((error) => options.onError?.(error));
  }

  function putAside(): void {
    closeSync(descriptor);
    renameSync(path, backupName(path, now()));
    descriptor = openSync(path, 'a', 0o600);
    size = 0;
    tidy();
  }

  if (maxBytes > 0) tidy();
  return {
    write(lines) {
      const bytes = Buffer.from(lines);
      if (maxBytes > 0 && size > 0 && size + bytes.length > maxBytes) putAside();
      writeWhole(descriptor, bytes);
      size += bytes.length;
    },
    async close() {
      await tidying;
      closeSync(descriptor);
    },
  };
}

/** A write may be partial. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function backupName(path: string, time: Date): string {
  const extension = extname(path);
  const stamp = time.toISOString().replaceAll(':', '-').replace('Z', '');
  return join(dirname(path), `${basename(path, extension)}-${stamp}${extension}`);
}

interface Backup {
  readonly name: string;
  readonly time: number;
  readonly isCompressed: boolean;
}

const dayMs = 24 * 3_600_000;

/** Removes backups beyond the maximum number or age, and compresses the others if configured. */
async function removeOldBackups(path: string, options: AuditFileOptions): Promise<void> {
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

/** Written under a temporary name and renamed when complete. */
async function compressFile(path: string): Promise<void> {
  const unfinished = `${path}.gz.tmp`;
  await pipeline(createReadStream(path), createGzip(), createWriteStream(unfinished, { mode: 0o600 }));
  await rename(unfinished, `${path}.gz`);
  await rm(path);
}
