import type { Sink } from '../http/answer.ts';
import type { WatchEventSeries } from './request-series.ts';

/** A sink that counts the events of a watch on their way. */
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
