import type { ShutdownNotice } from '@tsukube/apiserver';

export interface Shutdown {
  readonly notice: ShutdownNotice;
  /** Notifies all listeners, spread evenly over a time. */
  begin(spreadMs?: number): Promise<void>;
}

export function shutdownNotice(): Shutdown {
  const listeners = new Set<() => void>();
  let begun = false;
  return {
    notice: {
      onBegin(listener) {
        if (begun) setImmediate(listener);
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    async begin(spreadMs = 0) {
      begun = true;
      const all = [...listeners];
      const started = performance.now();
      for (const [i, listener] of all.entries()) {
        const waitMs = (spreadMs * i) / all.length - (performance.now() - started);
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        if (listeners.has(listener)) listener();
      }
    },
  };
}
