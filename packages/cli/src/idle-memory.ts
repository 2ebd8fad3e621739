import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const tickMs = 2000;
/** Two ticks below this make the process idle, when a garbage collection of tens of milliseconds delays no request. */
const idleUtilization = 0.02;
/**
 * V8 shrinks the young generation, of up to 32 MiB, in a collection before which little was allocated for 5 seconds. The first
 * collection of a rest counts what was allocated before; the fourth is the first that does not.
 */
const collectionsPerRest = 4;
const worthwhileBytes = 16 << 20;
/** Mapped memory above this is also released under load, but rarely, because pages in use are read again. */
const mappedAtWork = 256 << 20;
const ticksBetweenTrims = 15;

/**
 * Releases memory after a burst of load. V8 collects and the kernel unmaps pages only under pressure, so an idle process would
 * keep its peak memory.
 */
export function returnMemoryWhenIdle(trim: () => Promise<void>): () => void {
  let last = performance.eventLoopUtilization();
  const utilization = () => {
    const since = performance.eventLoopUtilization(last).utilization;
    last = performance.eventLoopUtilization();
    return since;
  };
  const idle = new IdleMemory({ collect: collector(), trim, utilization, resident: () => process.memoryUsage.rss(), mapped });
  const timer = setInterval(() => void idle.tick(), tickMs).unref();
  return () => clearInterval(timer);
}

export interface Surroundings {
  collect(): void;
  /** Releases mapped file pages. */
  trim(): Promise<void>;
  /** Event loop utilization since the last call. */
  utilization(): number;
  resident(): number;
  /** The part of it that is mapped files. */
  mapped(): number;
}

export class IdleMemory {
  readonly #surroundings: Surroundings;
  readonly #mappedAtFirst: number;
  #idleTicks = 0;
  #ticksSinceTrim = ticksBetweenTrims;
  /** Resident memory after the last rest. The start leaves garbage, so the first rest always collects. */
  #settled = 0;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#mappedAtFirst = surroundings.mapped();
  }

  async tick(): Promise<void> {
    this.#ticksSinceTrim++;
    this.#idleTicks = this.#surroundings.utilization() < idleUtilization ? this.#idleTicks + 1 : 0;
    const collection = this.#idleTicks - 1;
    if (collection < 1) return this.#trimAtWork();
    if (collection > collectionsPerRest) return;
    if (collection === 1 && this.#surroundings.resident() - this.#settled < worthwhileBytes) {
      this.#idleTicks = 1 + collectionsPerRest; // nothing to release until there is load again
      return;
    }
    await this.#rest(collection);
  }

  async #rest(collection: number): Promise<void> {
    const { collect, resident, utilization } = this.#surroundings;
    collect();
    if (collection === 1) await this.#trim();
    utilization(); // exclude the collection itself
    this.#settled = resident();
  }

  async #trimAtWork(): Promise<void> {
    if (this.#ticksSinceTrim < ticksBetweenTrims) return;
    if (this.#surroundings.mapped() - this.#mappedAtFirst > mappedAtWork) await this.#trim();
  }

  async #trim(): Promise<void> {
    this.#ticksSinceTrim = 0;
    // Errors are reported elsewhere, or the server is closing.
    await this.#surroundings.trim().catch(() => {});
  }
}

const pageBytes = 4096;

/** Without /proc, memory is released only when idle. */
function mapped(): number {
  try {
    const [, , shared] = readFileSync('/proc/self/statm', 'latin1').split(' ');
    return Number(shared) * pageBytes;
  } catch {
    return 0;
  }
}

/** Enables gc() on first use, because different V8 flags would invalidate the code cache. */
function collector(): () => void {
  let collect: (() => void) | undefined;
  return () => {
    if (!collect) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc') as () => void;
    }
    collect();
  };
}
