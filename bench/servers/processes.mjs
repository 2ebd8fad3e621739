import { readdirSync, readFileSync } from 'node:fs';

/** Process statistics from /proc; rows that need them are skipped on systems without it. */

const ticksPerSecond = 100;

/** @param {string} file */
function readProc(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** @param {number} pid @returns {string[]} */
function threadsOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** @param {number} pid @returns {number[]} the process and all its descendants */
function familyOf(pid) {
  const children = threadsOf(pid).flatMap((thread) =>
    readProc(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(familyOf)];
}

/**
 * Stops processes (SIGSTOP) while another server is measured, so that background work such as garbage collection does not
 * affect it.
 * @template T @param {readonly number[]} pids @param {() => Promise<T>} work @returns {Promise<T>}
 */
export async function whileStopped(pids, work) {
  const stopped = pids.flatMap(familyOf);
  const resume = () => signal(stopped, 'SIGCONT');
  process.once('exit', resume);
  signal(stopped, 'SIGSTOP');
  try {
    return await work();
  } finally {
    resume();
    process.off('exit', resume);
  }
}

/** @param {readonly number[]} pids @param {NodeJS.Signals} name */
function signal(pids, name) {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended in the meantime.
    }
  }
}

/** @param {readonly number[]} pids @returns {number | undefined} mebibytes, mapped files included */
export function residentMiB(pids) {
  const sizes = pids.flatMap(familyOf).map((pid) => Number(/^VmRSS:\s+(\d+)/m.exec(readProc(`/proc/${pid}/status`))?.[1] ?? 0));
  const kibibytes = sizes.reduce((total, size) => total + size, 0);
  return kibibytes > 0 ? kibibytes / 1024 : undefined;
}

/** @returns {number} busy milliseconds of all cores since boot, including time stolen by other guests */
export function machineBusyMs() {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = readProc('/proc/stat')
    .split('\n')[0]
    .split(/ +/)
    .slice(1)
    .map(Number);
  return ((user + nice + system + irq + softirq + steal) / ticksPerSecond) * 1000;
}

/** @param {readonly number[]} pids @returns {number} milliseconds of processor time, user and system */
export function cpuMs(pids) {
  const ticks = pids.flatMap(familyOf).map((pid) => {
    const fields = readProc(`/proc/${pid}/stat`).split(') ')[1]?.split(' ') ?? [];
    return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
  });
  return (ticks.reduce((total, count) => total + count, 0) / ticksPerSecond) * 1000;
}
