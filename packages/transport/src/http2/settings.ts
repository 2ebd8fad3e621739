import { settingsFrame, windowUpdateFrame } from './frames.ts';
import {
  defaultHeaderTableBytes,
  defaultWindow,
  errorCode,
  Http2ConnectionError,
  maxFrameBytes,
  maxWindow,
  setting,
} from './protocol.ts';
import { connectionWindowIncrement, streamWindow } from './windows.ts';

/** The server's first frames. */
export function initialFrames(maxStreams: number, maxHeaderBytes: number): Buffer {
  const settings = settingsFrame([
    [setting.maxConcurrentStreams, maxStreams],
    [setting.initialWindowSize, streamWindow],
    [setting.maxHeaderListSize, maxHeaderBytes],
  ]);
  return Buffer.concat([settings, windowUpdateFrame(0, connectionWindowIncrement)]);
}

/** The client's settings that affect sending. */
export interface PeerSettings {
  readonly initialWindow: number;
  readonly headerTableBytes: number;
}

export const defaultSettings: PeerSettings = { initialWindow: defaultWindow, headerTableBytes: defaultHeaderTableBytes };

/** Throws Http2ConnectionError. MAX_FRAME_SIZE is only validated: frames never exceed the minimum that every client accepts. */
export function readSettings(before: PeerSettings, bytes: Buffer, start: number, end: number): PeerSettings {
  let { initialWindow, headerTableBytes } = before;
  for (let at = start; at < end; at += 6) {
    const value = bytes.readUInt32BE(at + 2);
    switch (bytes.readUInt16BE(at)) {
      case setting.headerTableSize:
        headerTableBytes = value;
        break;
      case setting.enablePush:
        check(value <= 1, errorCode.protocol);
        break;
      case setting.initialWindowSize:
        check(value <= maxWindow, errorCode.flowControl);
        initialWindow = value;
        break;
      case setting.maxFrameSize:
        check(value >= maxFrameBytes && value < 2 ** 24, errorCode.protocol);
        break;
    }
  }
  return { initialWindow, headerTableBytes };
}

function check(isValid: boolean, code: number): void {
  if (!isValid) throw new Http2ConnectionError(code, 'invalid setting');
}
