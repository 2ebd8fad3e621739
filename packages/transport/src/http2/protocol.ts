/** Numbers of RFC 9113. */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flag = { none: 0, endStream: 1, acknowledge: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

export const errorCode = {
  none: 0,
  protocol: 1,
  internal: 2,
  flowControl: 3,
  streamClosed: 5,
  frameSize: 6,
  refusedStream: 7,
  cancel: 8,
  compression: 9,
  enhanceYourCalm: 11,
} as const;

export const setting = {
  headerTableSize: 1,
  enablePush: 2,
  maxConcurrentStreams: 3,
  initialWindowSize: 4,
  maxFrameSize: 5,
  maxHeaderListSize: 6,
} as const;

export const frameHeaderBytes = 9;
/** The size that every peer takes; larger frames would only make others wait longer. */
export const maxFrameBytes = 16_384;
export const defaultWindow = 65_535;
export const maxWindow = 2 ** 31 - 1;
export const defaultHeaderTableBytes = 4096;

/** Ends the connection: what the peer sends can no longer be followed, or should not be. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
