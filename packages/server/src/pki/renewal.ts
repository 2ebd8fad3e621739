import { isDeepStrictEqual } from 'node:util';
import type { Pki } from './pki.ts';

export interface Renewal {
  readonly current: Pki;
  /** Looks now instead of at the next turn of the timer. */
  check(): Promise<void>;
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
  const look = async (): Promise<void> => {
    const opened = open();
    if (isDeepStrictEqual(await settled(opened), await settled(current))) return;
    current = opened;
    onRenewed(opened);
  };
  const check = (): Promise<void> => look().catch(onError);
  const timer = setInterval(() => void check(), intervalMilliseconds).unref();
  return {
    get current() {
      return current;
    },
    check,
    stop: () => clearInterval(timer),
  };
}

async function settled({ admin, ...rest }: Pki): Promise<unknown> {
  return { ...rest, admin: await admin };
}
