import { isDeepStrictEqual } from 'node:util';
import type { Pki } from './pki.ts';

export interface Renewal {
  readonly current: Pki;
  /** Looks now instead of at the next turn of the timer. */
  check(): void;
  stop(): void;
}

export interface RenewalOptions {
  readonly open: () => Pki;
  readonly onRenewed: (pki: Pki) => void;
  readonly onError: (error: unknown) => void;
  readonly intervalMilliseconds?: number;
}

const twelveHours = 12 * 3_600_000;

/** Opens the keys and certificates, and again twice a day: whatever is due by then is renewed and announced. */
export function keepRenewed({ open, onRenewed, onError, intervalMilliseconds = twelveHours }: RenewalOptions): Renewal {
  let current = open();
  const check = (): void => {
    try {
      const opened = open();
      if (isDeepStrictEqual(opened, current)) return;
      current = opened;
      onRenewed(opened);
    } catch (error) {
      onError(error);
    }
  };
  const timer = setInterval(check, intervalMilliseconds).unref();
  return {
    get current() {
      return current;
    },
    check,
    stop: () => clearInterval(timer),
  };
}
