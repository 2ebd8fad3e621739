import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const tickMs = 2000;
/** Two in a row make the process idle: what a pause of some tens of milliseconds costs is then paid by nobody. */
const idleUtilization = 0.02;
const collectionsPerRest = 3;
const worthwhileBytes = 32 << 20;

/**
 * Gives memory back after a burst. The engine collects when it needs room, so what a burst left stays resident for as
 * long as nothing happens.
 */
export function returnMemoryWhenIdle(): () => void {
  let last = performance.eventLoopUtilization();
  const utilization = () => {
    const since = performance.eventLoopUtilization(last).utilization;
    last = performance.eventLoopUtilization();
    return since;
  };
  const idle = new IdleMemory({ collect: collector(), utilization, resident: () => process.memoryUsage.rss() });
  const timer = setInterval(() => idle.tick(), tickMs).unref();
  return () => clearInterval(timer);
}

export interface Surroundings {
  collect(): void;
  /** The share of the time since the last call in which the process was at work. */
  utilization(): number;
  resident(): number;
}

export class IdleMemory {
  readonly #surroundings: Surroundings;
  #idleTicks = 0;
  #settled: number;

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings;
    this.#settled = surroundings.resident();
  }

  tick(): void {
    const { collect, utilization, resident } = this.#surroundings;
    this.#idleTicks = utilization() < idleUtilization ? this.#idleTicks + 1 : 0;
    const collection = this.#idleTicks - 1;
    if (collection < 1 || collection > collectionsPerRest) return;
    if (collection === 1 && resident() - this.#settled < worthwhileBytes) {
      this.#idleTicks = 1 + collectionsPerRest; // nothing to gain until there was work again
      return;
    }
    collect();
    utilization(); // the collection itself is no work
    this.#settled = resident();
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
