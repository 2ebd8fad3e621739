/** How long the event loop of this process was blocked, in ms. */
export interface LoopHold {
  /** The longest iteration: wall time, or CPU time if that is less, so that other processes do not count. */
  readonly longest: number;
  /** CPU time of the process, including worker threads. */
  readonly total: number;
}

/**
 * Runs a function and measures the iterations of the event loop. Worker threads and the garbage collector use CPU time while the
 * event loop waits, and a busy machine adds wall time: the lesser of both is an upper bound of the iteration.
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
