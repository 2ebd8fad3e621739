import protobuf from 'protobufjs/minimal.js';

export type MessageReader = protobuf.Reader;
export type MessageWriter = protobuf.Writer;

/** A 64-bit number that is only passed back, such as a lease id. */
export type Opaque64 = ReturnType<MessageReader['int64']>;

/** A gRPC method: its path and the codecs of its messages. */
export interface GrpcMethod<Request, Response> {
  readonly path: string;
  encode(request: Request): Buffer;
  decode(message: Buffer): Response;
}

export function read(message: Buffer): MessageReader {
  return protobuf.Reader.create(message);
}

export function write(): MessageWriter {
  return protobuf.Writer.create();
}

export function finish(writer: MessageWriter): Buffer {
  return writer.finish() as Buffer;
}

/** Reads the length of an embedded message; returns its end. */
export function messageEnd(reader: MessageReader): number {
  return reader.uint32() + reader.pos;
}

/**
 * Reads an int64 as a number. Revisions and counts stay below 2^53, and a Long for each would cost more than the rest of the
 * decoding.
 */
export function int64(reader: MessageReader): number {
  let value = 0;
  for (let scale = 1; ; scale *= 128) {
    const byte = reader.buf[reader.pos++];
    if (byte === undefined) throw new RangeError('truncated message');
    value += (byte & 127) * scale;
    if (byte < 128) return value;
  }
}

export function varintTag(field: number): number {
  return field << 3;
}

export function bytesTag(field: number): number {
  return (field << 3) | 2;
}
