const PREFIX_BYTES = 5;

/** A message as it goes over a gRPC stream: uncompressed, with its length before it. */
export function frame(message: Buffer): Buffer {
  const framed = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  framed[0] = 0;
  framed.writeUInt32BE(message.length, 1);
  message.copy(framed, PREFIX_BYTES);
  return framed;
}

/** The message of a stream that has no other. */
export function joinMessage(chunks: readonly Buffer[]): Buffer {
  const joined = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
  return joined.subarray(PREFIX_BYTES);
}

/** Cuts what comes over a gRPC stream into messages. */
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

  /** Where the first message ends, as far as that can be told. */
  #end(): number {
    if (this.#bytes < PREFIX_BYTES) return Number.POSITIVE_INFINITY;
    if ((this.#chunks[0] as Buffer).length < PREFIX_BYTES) this.#chunks = [this.#join()];
    return PREFIX_BYTES + (this.#chunks[0] as Buffer).readUInt32BE(1);
  }

  #join(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#bytes);
  }
}
