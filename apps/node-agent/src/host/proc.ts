import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';

/** A process, read from /proc. */
export interface HostProcess {
  readonly pid: number;
  /** Name of the program, at most 15 characters. */
  readonly program: string;
  /** Session ID: the pid of its leader, or 0. */
  readonly session: number;
  /** User and system time. */
  readonly cpuSeconds: number;
  readonly residentBytes: number;
  /** Milliseconds since the epoch. */
  readonly startMs: number;
}

export interface HostTotals {
  readonly cpuSeconds: number;
  /** Memory that cannot be reclaimed: total without available. */
  readonly workingSetBytes: number;
  readonly totalBytes: number;
  readonly cores: number;
  readonly bootMs: number;
}

/** Clock ticks of user-space interfaces, the same on all architectures. */
const ticksPerSecond = 100;
const kernelThreadParent = 2;
/** Processes are read in slices of this length, so that the event loop turns. */
const sliceMs = 5;
/** More processes are not read. */
const maxProcesses = 32_768;

/** Reads the figures of this host from a proc file system. */
export class Proc {
  readonly #root: string;
  readonly #pageBytes: number;

  /** Throws an Error where there is no proc file system. */
  constructor(root = '/proc') {
    this.#root = root;
    this.#pageBytes = pageBytesOf(this.#read('self/auxv'));
  }

  totals(): HostTotals {
    const lines = this.#read('stat').toString('latin1').split('\n');
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = numbers(lines[0] ?? '');
    const memory = this.#read('meminfo').toString('latin1');
    const totalBytes = kilobytes(memory, 'MemTotal');
    return {
      cpuSeconds: (user + nice + system + irq + softirq + steal) / ticksPerSecond,
      workingSetBytes: totalBytes - kilobytes(memory, 'MemAvailable'),
      totalBytes,
      cores: lines.filter((line) => /^cpu\d/.test(line)).length || 1,
      bootMs: this.#bootMs(lines),
    };
  }

  /** All processes but the threads of the kernel. */
  async processes(): Promise<HostProcess[]> {
    const bootMs = this.#bootMs(this.#read('stat').toString('latin1').split('\n'));
    const pids = readdirSync(this.#root).filter((name) => /^\d+$/.test(name));
    const found: HostProcess[] = [];
    let sliceEnd = performance.now() + sliceMs;
    for (const pid of pids.slice(0, maxProcesses)) {
      const process = this.#process(pid, bootMs);
      if (process !== undefined) found.push(process);
      if (performance.now() < sliceEnd) continue;
      await setImmediate();
      sliceEnd = performance.now() + sliceMs;
    }
    return found;
  }

  /** Undefined for threads of the kernel, and for a process that has ended. */
  #process(pid: string, bootMs: number): HostProcess | undefined {
    let text: string;
    try {
      text = this.#read(join(pid, 'stat')).toString('utf8');
    } catch {
      return undefined;
    }
    // The program may contain spaces and parentheses; nothing after it does.
    const [nameStart, nameEnd] = [text.indexOf('('), text.lastIndexOf(')')];
    const fields = text.slice(nameEnd + 2).split(' ');
    const field = (number: number) => Number(fields[number - 3]);
    if (Number(pid) === kernelThreadParent || field(4) === kernelThreadParent) return undefined;
    return {
      pid: Number(pid),
      program: text.slice(nameStart + 1, nameEnd),
      session: field(6),
      cpuSeconds: (field(14) + field(15)) / ticksPerSecond,
      residentBytes: field(24) * this.#pageBytes,
      startMs: bootMs + (field(22) * 1000) / ticksPerSecond,
    };
  }

  #bootMs(statLines: readonly string[]): number {
    return Number(statLines.find((line) => line.startsWith('btime '))?.slice(6) ?? 0) * 1000;
  }

  #read(name: string): Buffer {
    return readFileSync(join(this.#root, name));
  }
}

function numbers(line: string): number[] {
  return line
    .split(' ')
    .filter((part) => part !== '')
    .slice(1)
    .map(Number);
}

function kilobytes(meminfo: string, key: string): number {
  const line = meminfo.split('\n').find((each) => each.startsWith(`${key}:`)) ?? '';
  return (numbers(line)[0] ?? 0) * 1024;
}

/** AT_PAGESZ of the auxiliary vector: pairs of 64-bit numbers. */
function pageBytesOf(auxv: Buffer): number {
  for (let at = 0; at + 16 <= auxv.length; at += 16)
    if (auxv.readBigUInt64LE(at) === 6n) return Number(auxv.readBigUInt64LE(at + 8));
  return 4096;
}
