/** How long the event loop of this process was held, in ms. */
export interface LoopHold {
  /** The longest turn: time on the clock, or processor time if that is less, so that other processes do not count. */
  readonly longest: number;
  /** Processor time of the process, worker threads included. */
  readonly total: number;
}

/**
 * Runs something and measures the turns of the event loop meanwhile. Worker threads and the garbage collector take processor time
 * while the event loop waits, and a busy machine takes time on the clock: the lesser of both is what a turn took at most.
 */
export async function holdOf<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly hold: LoopHold }> {
  const began = spent();
  let last = { cpu: began, clock: performance.now() };
  let longest = 0;
  let running = true;
  const turn = () => {
    const now = { cpu: spent(), clock: performance.now() };
    longest = Math.max(longest, Math.min(now.cpu - last.cpu, now.clock - last.clock));
    last = now;
    if (running) setImmediate(turn);
  };
  setImmediate(turn);
  try {
    const result = await run();
    await new Promise((resolve) => setImmediate(resolve));
    return { result, hold: { longest, total: spent() - began } };
  } finally {
    running = false;
  }
}

function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
