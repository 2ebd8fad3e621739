/** Constants of RFC 9113. */
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

export const frameFlag = { none: 0, endStream: 1, acknowledge: 1, endHeaders: 4, padded: 8, priority: 32 } as const;

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
/** The minimum of MAX_FRAME_SIZE, which every peer accepts; larger frames would delay other streams. */
export const maxFrameBytes = 16_384;
export const defaultWindow = 65_535;
export const maxWindow = 2 ** 31 - 1;
export const defaultHeaderTableBytes = 4096;

/** A connection error (RFC 9113, 5.4.1): GOAWAY with the code, then the connection is closed. */
export class Http2ConnectionError extends Error {
  override readonly name = 'Http2ConnectionError';
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
