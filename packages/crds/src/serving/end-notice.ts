import type { ShutdownNotice } from '@tsukube/apiserver';

/** Tells listeners of an end of its own, and of the outer one as well. */
export function endNotice(outer: ShutdownNotice): { readonly notice: ShutdownNotice; begin(): void } {
  const listeners = new Set<() => void>();
  let begun = false;
  return {
    notice: {
      onBegin(listener) {
        if (begun) setImmediate(listener);
        listeners.add(listener);
        const forgetOuter = outer.onBegin(listener);
        return () => {
          listeners.delete(listener);
          forgetOuter();
        };
      },
    },
    begin() {
      begun = true;
      for (const listener of [...listeners]) listener();
    },
  };
}
