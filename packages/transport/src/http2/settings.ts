import { settingsFrame, windowUpdateFrame } from './frames.ts';
import {
  ConnectionError,
  defaultHeaderTableBytes,
  defaultWindow,
  errorCode,
  maxFrameBytes,
  maxWindow,
  setting,
} from './protocol.ts';
import { connectionWindowIncrement, streamWindow } from './windows.ts';

/** The first that the server says. */
export function greeting(maxStreams: number, maxHeaderBytes: number): Buffer {
  const settings = settingsFrame([
    [setting.maxConcurrentStreams, maxStreams],
    [setting.initialWindowSize, streamWindow],
    [setting.maxHeaderListSize, maxHeaderBytes],
  ]);
  return Buffer.concat([settings, windowUpdateFrame(0, connectionWindowIncrement)]);
}

/** What the client has said of itself, as far as it matters to what is sent. */
export interface PeerSettings {
  readonly initialWindow: number;
  readonly headerTableBytes: number;
}

export const defaultSettings: PeerSettings = { initialWindow: defaultWindow, headerTableBytes: defaultHeaderTableBytes };

/** Fails with ConnectionError. Frames are never larger than what every client takes, so that how large they may be is only checked. */
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

function check(isRight: boolean, code: number): void {
  if (!isRight) throw new ConnectionError(code, 'a setting out of its bounds');
}
