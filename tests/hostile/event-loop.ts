/** How long the event loop of this process was held, in ms of processor time: other processes do not count. */
export interface LoopHold {
  /** The longest turn. */
  readonly longest: number;
  /** All turns together. */
  readonly total: number;
}

/**
 * Runs something and measures the turns of the event loop meanwhile. Processor time instead of time on the clock, so that a
 * busy machine changes nothing; threads of the garbage collector are included.
 */
export async function holdOf<T>(run: () => Promise<T>): Promise<{ readonly result: T; readonly hold: LoopHold }> {
  const began = spent();
  let last = began;
  let longest = 0;
  let running = true;
  const turn = () => {
    const now = spent();
    longest = Math.max(longest, now - last);
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
