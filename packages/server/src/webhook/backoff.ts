/** As kube-apiserver waits between attempts to call a webhook. */
const factor = 1.5;
const jitter = 0.2;
const attempts = 5;

/** Tries until it works or has failed often enough, and then fails as the last attempt did. `stop` ends the wait. */
export async function withBackoff<T>(initialMs: number, attempt: () => Promise<T>, stop?: AbortSignal): Promise<T> {
  let delay = initialMs;
  for (let left = attempts - 1; ; left--, delay *= factor) {
    try {
      return await attempt();
    } catch (error) {
      if (left <= 0 || stop?.aborted) throw error;
    }
    await pause(delay * (1 + Math.random() * jitter), stop);
  }
}

function pause(ms: number, stop: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stop?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    stop?.addEventListener('abort', end);
  });
}
