import { readFileSync } from 'node:fs';

/** Tells a process from another that got the same number later. Undefined where the system does not say. */
export function processIdentity(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold anything, so the fields are counted from its end; the 22nd is the start time.
    const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${boot}/${started}`;
  } catch {
    return undefined;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
