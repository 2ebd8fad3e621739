import type { ShutdownNotice } from '@tsukube/apiserver';

/** A notice, and the way to give it: to all at once, or spread evenly over a time. */
export function shutdownNotice(): { readonly notice: ShutdownNotice; begin(spreadMs?: number): Promise<void> } {
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
