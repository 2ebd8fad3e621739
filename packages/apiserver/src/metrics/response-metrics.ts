import { pipeline, Readable, Transform } from 'node:stream';
import { type BytesAnswer, CountedDirectBody, DirectBody, type Sink } from '@tsukube/transport';
import type { WatchEventSeries } from './request-metrics.ts';

type Body = BytesAnswer['body'];
type WhenSent = (bytes: number) => void;

/** Reports the size of a body: at once if it is complete, otherwise at its end or when the client is gone. */
export function countedBody(body: Body, whenSent: WhenSent): Body {
  if (typeof body === 'string' || body instanceof Uint8Array) {
    whenSent(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength);
    return body;
  }
  if (body instanceof DirectBody) return new CountedDirectBody(body, whenSent);
  return body instanceof Readable ? countedStream(body, whenSent) : countedPieces(body, whenSent);
}

function* countedPieces(pieces: Iterable<Uint8Array>, whenSent: WhenSent): Generator<Uint8Array> {
  let bytes = 0;
  try {
    for (const piece of pieces) {
      bytes += piece.byteLength;
      yield piece;
    }
  } finally {
    whenSent(bytes);
  }
}

function countedStream(pieces: Readable, whenSent: WhenSent): Readable {
  let bytes = 0;
  const counting = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      bytes += piece.byteLength;
      done(null, piece);
    },
  });
  return pipeline(pieces, counting, () => whenSent(bytes));
}

/** Counts the events of a watch and their sizes. */
export class CountingSink implements Sink {
  readonly #sink: Sink;
  readonly #events: WatchEventSeries;

  constructor(sink: Sink, events: WatchEventSeries) {
    this.#sink = sink;
    this.#events = events;
  }

  get buffered(): number {
    return this.#sink.buffered;
  }

  write(frames: readonly Uint8Array[], joined: Uint8Array): void {
    this.#events.total.increase(frames.length);
    for (const frame of frames) this.#events.sizes.observe(frame.byteLength);
    this.#sink.write(frames, joined);
  }

  onDrain(listener: () => void): void {
    this.#sink.onDrain(listener);
  }

  end(): void {
    this.#sink.end();
  }

  abort(): void {
    this.#sink.abort();
  }

  onClose(listener: () => void): void {
    this.#sink.onClose(listener);
  }
}
