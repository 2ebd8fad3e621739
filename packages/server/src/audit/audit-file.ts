import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { tidyBackups } from './audit-backups.ts';

export interface AuditFileOptions {
  /** 0 for no limit. */
  readonly maxBytes: number;
  readonly maxBackups: number;
  readonly maxAgeDays: number;
  readonly compress: boolean;
  readonly now?: () => Date;
  /** Told of what could not be tidied up. */
  readonly onError?: (error: unknown) => void;
}

export interface AuditFile {
  /** The lines are with the operating system when it returns. Throws if they cannot be. */
  write(lines: string): void;
  close(): Promise<void>;
}

/** A file that is put aside when it is full, as `audit-2026-01-02T03-04-05.678.log` beside `audit.log`. */
export function auditFile(path: string, options: AuditFileOptions): AuditFile {
  const { maxBytes, now = () => new Date() } = options;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  let descriptor = openSync(path, 'a', 0o600);
  let size = fstatSync(descriptor).size;
  let tidying: Promise<void> = Promise.resolve();

  function tidy(): void {
    tidying = tidying.then(() => tidyBackups(path, options)).catch((error) => options.onError?.(error));
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

/** The system may take less than it is given. */
function writeWhole(descriptor: number, bytes: Buffer): void {
  let written = 0;
  while (written < bytes.length) written += writeSync(descriptor, bytes, written);
}

function backupName(path: string, time: Date): string {
  const extension = extname(path);
  const stamp = time.toISOString().replaceAll(':', '-').replace('Z', '');
  return join(dirname(path), `${basename(path, extension)}-${stamp}${extension}`);
}
