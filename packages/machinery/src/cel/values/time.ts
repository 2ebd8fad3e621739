import { checkedInt, intOverflow } from './integer.ts';
import { CelDuration, CelError, CelTimestamp, type CelValue, isError } from './value.ts';

const billion = 1_000_000_000n;
export const timestampOverflow = new CelError('timestamp overflow');
/** From the year 1 to the year 9999. */
const minSeconds = -62_135_596_800;
const maxSeconds = 253_402_300_799;

/** Seconds beyond the years that are known are no timestamp. */
export function checkedTimestamp(seconds: number | bigint, nanoseconds: number, offset = 0): CelTimestamp | CelError {
  if (seconds < minSeconds || seconds > maxSeconds) return timestampOverflow;
  return new CelTimestamp(Number(seconds), nanoseconds, offset);
}

export function addToTimestamp({ seconds, nanoseconds, offset }: CelTimestamp, duration: bigint): CelValue {
  const total = BigInt(seconds) * billion + BigInt(nanoseconds) + duration;
  const fraction = ((total % billion) + billion) % billion;
  return checkedTimestamp((total - fraction) / billion, Number(fraction), offset);
}

export function subtractTimestamps(a: CelTimestamp, b: CelTimestamp): CelValue {
  const seconds = BigInt(a.seconds - b.seconds) * billion;
  return checkedDuration(seconds + BigInt(a.nanoseconds - b.nanoseconds));
}

export function addDurations(a: CelDuration, b: CelDuration): CelValue {
  return checkedDuration(a.nanoseconds + b.nanoseconds);
}

export function subtractDurations(a: CelDuration, b: CelDuration): CelValue {
  return checkedDuration(a.nanoseconds - b.nanoseconds);
}

function checkedDuration(nanoseconds: bigint): CelValue {
  return isError(checkedInt(nanoseconds)) ? intOverflow : new CelDuration(nanoseconds);
}
