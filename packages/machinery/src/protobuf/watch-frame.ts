import { envelopeHead, envelopeTail, textField } from './envelope.ts';
import { varintSize, writeVarint } from './varint.ts';

/**
 * An event of a watch: its length in four bytes and a WatchEvent, whose object is an envelope. The event itself has none:
 * who watches knows what comes.
 */
export function watchFrame(eventType: string, apiVersion: string, kind: string, raw: Uint8Array): Buffer {
  const head = envelopeHead(apiVersion, kind, raw.length);
  const objectSize = head.length + raw.length + envelopeTail.length;
  const type = textField(0x0a, eventType);
  const extensionSize = 1 + varintSize(objectSize) + objectSize;
  const eventSize = type.length + 1 + varintSize(extensionSize) + extensionSize;
  const frame = Buffer.allocUnsafe(4 + eventSize);
  frame.writeUInt32BE(eventSize);
  let at = 4 + type.copy(frame, 4);
  frame[at] = 0x12;
  at = writeVarint(extensionSize, frame, at + 1);
  frame[at] = 0x0a;
  at = writeVarint(objectSize, frame, at + 1);
  at += head.copy(frame, at);
  frame.set(raw, at);
  envelopeTail.copy(frame, at + raw.length);
  return frame;
}
