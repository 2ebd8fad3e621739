const everyMs = 5_000;

/** Whether this is a long run such as `npm run test:crash`, not `npm test`. */
export const isLong = process.env.TSUKUBE_LONG !== undefined;

/** In long runs, prints a line every few seconds until the returned function is called. */
export function showProgress(line: () => string): () => void {
  if (!isLong) return () => {};
  const began = performance.now();
  const timer = setInterval(() => {
    process.stdout.write(`${clock(performance.now() - began)}  ${line()}\n`);
  }, everyMs);
  return () => clearInterval(timer);
}

/** Minutes and seconds. */
export function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${String(Math.floor(seconds / 60)).padStart(3)}:${String(seconds % 60).padStart(2, '0')}`;
}
