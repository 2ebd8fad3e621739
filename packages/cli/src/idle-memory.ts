import { readFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const tickMs = 2000;
/** Two in a row make the process idle: what a pause of some tens of milliseconds costs is then paid by nobody. */
const idleUtilization = 0.02;
const collectionsPerRest = 3;
const worthwhileBytes = 32 << 20;
/** More than that is given back under load too, but not all the time: what is in use is read again. */
const mappedAtWork = 256 << 20;
const ticksBetweenTrims = 15;

/**
 * Gives memory back after a burst. The engine collects when it needs room, and the system lets go of mapped files when it does,
 * so what a burst left stays resident for as long as nothing happens.
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
  /** Lets go of mapped files. */
  trim(): Promise<void>;
  /** The share of the time since the last call in which the process was at work. */
  utilization(): number;
  resident(): number;
  /** As much of that as are mapped files. */
  mapped(): number;
}

export class IdleMemory {
  readonly #surroundings: Surroundings;
  readonly #mappedAtFirst: number;
  #idleTicks = 0;
  #ticksSinceTrim = ticksBetweenTrims;
  #settled: number;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#settled = surroundings.resident();
    this.#mappedAtFirst = surroundings.mapped();
  }

  async tick(): Promise<void> {
    this.#ticksSinceTrim++;
    this.#idleTicks = this.#surroundings.utilization() < idleUtilization ? this.#idleTicks + 1 : 0;
    const collection = this.#idleTicks - 1;
    if (collection < 1) return this.#trimAtWork();
    if (collection > collectionsPerRest) return;
    if (collection === 1 && this.#surroundings.resident() - this.#settled < worthwhileBytes) {
      this.#idleTicks = 1 + collectionsPerRest; // nothing to gain until there was work again
      return;
    }
    await this.#rest(collection);
  }

  async #rest(collection: number): Promise<void> {
    const { collect, resident, utilization } = this.#surroundings;
    collect();
    if (collection === 1) await this.#trim();
    utilization(); // the collection itself is no work
    this.#settled = resident();
  }

  async #trimAtWork(): Promise<void> {
    if (this.#ticksSinceTrim < ticksBetweenTrims) return;
    if (this.#surroundings.mapped() - this.#mappedAtFirst > mappedAtWork) await this.#trim();
  }

  async #trim(): Promise<void> {
    this.#ticksSinceTrim = 0;
    // A server that cannot do it now says so elsewhere, or is being closed.
    await this.#surroundings.trim().catch(() => {});
  }
}

const pageBytes = 4096;

/** Where the system does not tell, memory is given back in idle times only. */
function mapped(): number {
  try {
    const [, , shared] = readFileSync('/proc/self/statm', 'latin1').split(' ');
    return Number(shared) * pageBytes;
  } catch {
    return 0;
  }
}

/** The engine is asked for its collector when it is needed: a setting that differs would cost it its compiled code. */
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
