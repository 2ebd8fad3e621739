import type { ShutdownNotice } from '@tsukube/apiserver';

/** A notice, and the way to give it. */
export function shutdownNotice(): { readonly notice: ShutdownNotice; begin(): void } {
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
    begin() {
      begun = true;
      for (const listener of [...listeners]) listener();
    },
  };
}
