import { ConnectionError, errorCode, flag } from './protocol.ts';

/** What a frame carries, without what only hides how long that is. */
export function payloadOf(flags: number, bytes: Buffer, start: number, end: number): Buffer {
  if ((flags & flag.padded) === 0) return bytes.subarray(start, end);
  const padding = start < end ? (bytes[start] as number) : end;
  if (start + 1 + padding > end) throw new ConnectionError(errorCode.protocol, 'more padding than frame');
  return bytes.subarray(start + 1, end - padding);
}
