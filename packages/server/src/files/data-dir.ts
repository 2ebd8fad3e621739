import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

/** A data dir locked by this process. */
export interface DataDir {
  readonly path: string;
  /** Records the URL, for the error message of a second server. */
  publishUrl(url: string): void;
  release(): void;
}

interface Holder {
  readonly id: string;
  readonly pid: number;
  readonly identity?: string;
  readonly since: string;
  readonly url?: string;
}

/** Another process holds the lock of the data dir. */
export class DataDirTaken extends Error {
  override readonly name = 'DataDirTaken';
  constructor(path: string, { pid, url, since }: Holder) {
    super(`${path} is in use by another server (pid ${pid}${url ? `, ${url}` : ''}, since ${since})`);
  }
}

/** Locks a data dir, and creates it if necessary. Throws DataDirTaken. */
export function takeDataDir(directory: string, now = new Date()): DataDir {
  const path = resolve(directory);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const lock = join(path, 'server.lock');
  let holder = newHolder(now);
  take(path, lock, holder);
  return {
    path,
    publishUrl(url) {
      holder = { ...holder, url };
      withClaim(lock, holder, (claim) => renameSync(claim, lock));
    },
    release() {
      if (readHolder(lock)?.id === holder.id) unlinkSync(lock);
    },
  };
}

const lockWaitMs = 30_000;
const lockRetryMs = 20;
const unwritable = new Set(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT']);

/**
 * Locks a folder that servers on one machine share, such as the cert dir of replicas, while its files are created. Waits for
 * others. A folder that cannot be written needs no lock. Returns the function that unlocks it.
 */
export async function lockSharedDir(directory: string, waitMs = lockWaitMs): Promise<() => void> {
  const path = resolve(directory);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const lock = join(path, '.lock');
  const holder = newHolder(new Date());
  for (const deadline = performance.now() + waitMs; ; await pause(lockRetryMs)) {
    try {
      take(path, lock, holder);
      return () => removeIfThere(lock);
    } catch (error) {
      if (unwritable.has((error as NodeJS.ErrnoException).code ?? '')) return () => {};
      if (!(error instanceof DataDirTaken) || performance.now() > deadline) throw error;
    }
  }
}

function newHolder(now: Date): Holder {
  const identity = processStartId(process.pid);
  return { id: randomUUID(), pid: process.pid, ...(identity ? { identity } : {}), since: now.toISOString() };
}

/**
 * The lock is a file that is created with its content by a hard link, which fails if it exists. A stale lock is replaced under a
 * second lock, which is created the same way and named after the stale one: only one process can replace it, and later ones
 * notice the change.
 */
function take(directory: string, lock: string, holder: Holder): void {
  while (!claimed(lock, holder)) {
    const found = readHolder(lock);
    if (found === undefined) continue;
    if (isHeld(found)) throw new DataDirTaken(directory, found);
    replace(directory, lock, holder, found);
  }
}

function claimed(lock: string, holder: Holder): boolean {
  return withClaim(lock, holder, (claim) => {
    try {
      linkSync(claim, lock);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    }
  });
}

function replace(directory: string, lock: string, holder: Holder, stale: Holder): void {
  const guard = `${lock}.${stale.id}`;
  take(directory, guard, holder);
  try {
    if (readHolder(lock)?.id === stale.id) unlinkSync(lock);
  } finally {
    unlinkSync(guard);
  }
}

function isHeld({ pid, identity }: Holder): boolean {
  if (pid === 0 || !isAlive(pid)) return false;
  return identity === undefined || identity === (processStartId(pid) ?? identity);
}

/** Undefined without a lock. An unreadable lock is the result of a power failure and is not held. */
function readHolder(lock: string): Holder | undefined {
  try {
    return parsed(readFileSync(lock, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function parsed(text: string): Holder {
  try {
    const { id, pid, since, identity, url } = JSON.parse(text);
    if (/^[\w-]+$/.test(id) && Number.isInteger(pid) && pid > 0) return { id, pid, since, identity, url };
  } catch {
    // Falls through to the holder that is never alive.
  }
  return { id: 'unreadable', pid: 0, since: 'unknown' };
}

function withClaim<T>(lock: string, holder: Holder, act: (claim: string) => T): T {
  const claim = `${lock}.${holder.id}.claim`;
  try {
    // A full disk leaves an empty file.
    writeFileSync(claim, JSON.stringify(holder), { mode: 0o600 });
    return act(claim);
  } finally {
    removeIfThere(claim);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Identifies a process across reuse of its PID: boot ID and start time. Undefined if /proc is not available. */
export function processStartId(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${statOf(pid)[19]}`;
  } catch {
    return undefined;
  }
}

/** Zombie (Z) and dead (X) processes hold no files and no locks. */
function isAlive(pid: number): boolean {
  try {
    return !/^[ZX]$/i.test(statOf(pid)[0] ?? '');
  } catch {
    return isSignallable(pid);
  }
}

/** Fields of /proc/PID/stat after the command name, which may contain spaces: state first, start time as the twentieth. */
function statOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function isSignallable(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
