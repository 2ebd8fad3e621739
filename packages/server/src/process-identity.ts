import { readFileSync } from 'node:fs';

/** Tells a process from another that got the same number later. Undefined where the system does not say. */
export function processIdentity(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${statOf(pid)[19]}`;
  } catch {
    return undefined;
  }
}

/** A zombie (Z) or dead (X) process only waits for its parent to take notice: it holds no files and no locks. */
export function isAlive(pid: number): boolean {
  try {
    return !/^[ZX]$/i.test(statOf(pid)[0] ?? '');
  } catch {
    return isSignallable(pid);
  }
}

/** Fields of /proc/PID/stat from the third on: state first, start time as the twentieth. Counted from the end of the name. */
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
