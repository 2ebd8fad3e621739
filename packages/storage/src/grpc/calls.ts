import { type ClientHttp2Stream, constants } from 'node:http2';
import type { GrpcChannel, GrpcTarget } from './channel.ts';
import { GrpcCode, type GrpcStatus, grpcStatusOf } from './status.ts';

/** gRPC metadata: request headers. */
export type Metadata = Readonly<Record<string, string>>;

interface UnaryRequest {
  readonly path: string;
  readonly message: Buffer;
  readonly metadata: Metadata;
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
}

/** Unary call: sends one message and resolves with the response. */
export function unary(connection: GrpcChannel, { path, message, metadata, deadline }: UnaryRequest): Promise<Buffer> {
  const left = Math.max(1, Math.ceil(deadline - performance.now()));
  const stream = openStream(connection, path, { ...metadata, 'grpc-timeout': `${left}m` });
  const outcome = outcomeOf(stream);
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(connection.peer.failed(TIMED_OUT));
      stream.close(constants.NGHTTP2_CANCEL);
    }, left);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('close', () => {
      clearTimeout(timer);
      const status = outcome.status ?? lost(stream);
      if (status.code === GrpcCode.ok && chunks.length > 0) resolve(joinMessage(chunks));
      else reject(connection.peer.failed(status));
    });
    stream.end(frameMessage(message));
  });
}

/** A bidirectional stream of messages. */
export class MessageStream {
  readonly #peer: GrpcTarget;
  readonly #stream: ClientHttp2Stream;
  readonly #outcome: Outcome;

  constructor(connection: GrpcChannel, path: string, metadata: Metadata) {
    this.#peer = connection.peer;
    this.#stream = openStream(connection, path, metadata);
    this.#outcome = outcomeOf(this.#stream);
  }

  send(message: Buffer): void {
    if (this.#stream.writable) this.#stream.write(frameMessage(message));
  }

  /** Ends `messages()` at once, even if the connection is dead. */
  cancel(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
    this.#stream.destroy();
  }

  /** Unread messages are held back by flow control. Throws if the stream ends with an error status. */
  async *messages(): AsyncGenerator<Buffer, void, undefined> {
    const unframer = new Unframer();
    try {
      for await (const chunk of this.#stream) yield* unframer.push(chunk);
    } catch {
      throw this.#peer.failed(this.#outcome.status ?? lost(this.#stream));
    }
    const { status } = this.#outcome;
    if (status?.code !== GrpcCode.ok) throw this.#peer.failed(status ?? lost(this.#stream));
  }
}

interface Outcome {
  status: GrpcStatus | undefined;
}

const TIMED_OUT: GrpcStatus = { code: GrpcCode.deadlineExceeded, details: 'no answer in time' };

function openStream(connection: GrpcChannel, path: string, metadata: Metadata): ClientHttp2Stream {
  return connection.request({
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...metadata,
  });
}

/** The status is in the trailers, or in the headers of a trailers-only response. */
function outcomeOf(stream: ClientHttp2Stream): Outcome {
  const outcome: Outcome = { status: undefined };
  stream.on('response', (headers) => {
    outcome.status = grpcStatusOf(headers);
  });
  stream.on('trailers', (trailers) => {
    outcome.status ??= grpcStatusOf(trailers);
  });
  stream.on('error', () => {});
  return outcome;
}

function lost(stream: ClientHttp2Stream): GrpcStatus {
  const unsent = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
  return { code: GrpcCode.unavailable, details: 'the connection was lost', unsent };
}

const PREFIX_BYTES = 5;

/** Length-prefixed, uncompressed gRPC message. */
export function frameMessage(message: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  message.copy(framed, PREFIX_BYTES);
  return framed;
}

/** The message of a unary response. */
export function joinMessage(chunks: readonly Buffer[]): Buffer {
  const joined = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  return joined.subarray(PREFIX_BYTES);
}

/** Splits the data of a gRPC stream into messages. */
export class Unframer {
  #chunks: Buffer[] = [];
  #bytes = 0;

  *push(chunk: Buffer): Generator<Buffer, void, undefined> {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (let end = this.#end(); end <= this.#bytes; end = this.#end()) {
      const joined = this.#join();
      this.#chunks = end < joined.length ? [joined.subarray(end)] : [];
      this.#bytes = joined.length - end;
      yield joined.subarray(PREFIX_BYTES, end);
    }
  }

  /** End of the first message; infinite until its length is known. */
  #end(): number {
    if (this.#bytes < PREFIX_BYTES) return Number.POSITIVE_INFINITY;
    if ((this.#chunks[0] as Buffer).length < PREFIX_BYTES) this.#chunks = [this.#join()];
    return PREFIX_BYTES + (this.#chunks[0] as Buffer).readUInt32BE(1);
  }

  #join(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#bytes);
  }
}
