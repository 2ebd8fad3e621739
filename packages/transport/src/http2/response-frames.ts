import type { BytesAnswer, StreamAnswer } from '../http/answer.ts';
import type { WriteBuffer } from '../http/write-buffer.ts';
import type { Http2Exchange } from './exchange.ts';
import { putFrameHeader } from './frames.ts';
import type { HeaderEncoder } from './header-encoder.ts';
import { frameFlag, frameHeaderBytes, frameType, maxFrameBytes } from './protocol.ts';
import { DirectResponseBody, type ResponseBody } from './response-body.ts';

export function putBytes(out: WriteBuffer, bytes: Uint8Array): void {
  out.reserve(bytes.length);
  out.buffer.set(bytes, out.at);
  out.at += bytes.length;
}

/** Writes the HEADERS frame of an answer, with END_STREAM if there is no body. */
export function putHead(
  out: WriteBuffer,
  encoder: HeaderEncoder,
  exchange: Http2Exchange,
  head: BytesAnswer | StreamAnswer,
): void {
  exchange.head = undefined;
  out.reserve(frameHeaderBytes);
  const before = out.length;
  out.at += frameHeaderBytes;
  putFields(out, encoder, exchange.contentLength, head);
  const length = out.length - before - frameHeaderBytes;
  const end = exchange.outgoing ? frameFlag.none : frameFlag.endStream;
  if (length > maxFrameBytes) return void splitHeaderBlock(out, exchange.id, length, end);
  putFrameHeader(
    out.buffer,
    out.at - length - frameHeaderBytes,
    length,
    frameType.headers,
    frameFlag.endHeaders | end,
    exchange.id,
  );
}

function putFields(
  out: WriteBuffer,
  encoder: HeaderEncoder,
  contentLength: number,
  { status, type, headers }: BytesAnswer | StreamAnswer,
): void {
  encoder.begin(out, status);
  if (type !== '') encoder.field(out, 'content-type', type);
  if (contentLength >= 0 && status !== 204) encoder.field(out, 'content-length', String(contentLength));
  if (headers) encoder.all(out, headers);
  if (headers?.date === undefined) putBytes(out, dateField());
}

/** Splits a header block that exceeds one frame into HEADERS and CONTINUATION. */
function splitHeaderBlock(out: WriteBuffer, stream: number, length: number, end: number): void {
  const block = Buffer.from(out.buffer.subarray(out.at - length, out.at));
  out.at -= length + frameHeaderBytes;
  for (let at = 0; at < length; at += maxFrameBytes) {
    const piece = block.subarray(at, at + maxFrameBytes);
    const type = at === 0 ? frameType.headers : frameType.continuation;
    const flags = (at === 0 ? end : 0) | (at + maxFrameBytes >= length ? frameFlag.endHeaders : 0);
    out.reserve(frameHeaderBytes);
    putFrameHeader(out.buffer, out.at, piece.length, type, flags, stream);
    out.at += frameHeaderBytes;
    putBytes(out, piece);
  }
}

/** Writes one DATA frame of up to `room` bytes, from as many chunks as fit. Returns the length. */
export function putDataFrame(out: WriteBuffer, stream: number, body: ResponseBody, room: number): number {
  out.reserve(frameHeaderBytes + room);
  const { buffer } = out;
  const start = out.at + frameHeaderBytes;
  const end = start + room;
  let at = start;
  if (body instanceof DirectResponseBody) at += body.writeTo(buffer, at, room);
  else while (at < end && body.fill()) at += putChunk(buffer, at, body, end - at);
  const length = at - start;
  const isEnd = isUsedUp(body);
  if (length === 0 && !isEnd) return 0;
  putFrameHeader(buffer, out.at, length, frameType.data, isEnd ? frameFlag.endStream : frameFlag.none, stream);
  out.at = at;
  return length;
}

function putChunk(buffer: Buffer, at: number, body: ResponseBody, room: number): number {
  const { chunk, at: from } = body;
  const length = Math.min(room, chunk.length - from);
  buffer.set(length === chunk.length ? chunk : chunk.subarray(from, from + length), at);
  body.at = from + length;
  return length;
}

/** Whether all of the body has been written. */
export function isUsedUp(body: ResponseBody): boolean {
  return body.isLast && body.at === body.chunk.length;
}

/** `date: Thu, 01 Jan 1970 00:00:00 GMT` as a literal with an indexed name; rewritten once a second. */
const bytes = Buffer.alloc(32);
bytes.set([0x0f, 33 - 15, 29]);
let second = -1;

function dateField(now = Date.now()): Buffer {
  const current = Math.floor(now / 1000);
  if (current !== second) {
    second = current;
    bytes.write(new Date(now).toUTCString(), 3, 'latin1');
  }
  return bytes;
}
