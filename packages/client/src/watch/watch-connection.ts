import { ConnectionError } from '../http/transport.ts';
import type { ApiObject, WatchEvent } from '../rest/api-object.ts';
import type { ResourceApi, WatchOptions } from '../rest/resource-api.ts';
import type { Timing } from '../timing/timing.ts';

export interface ConnectionOptions {
  readonly silenceMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Nothing was received for too long. */
export class WatchSilence extends Error {
  override readonly name = 'WatchSilence';
}

/**
 * One watch request. Fails with WatchSilence if nothing arrives for `silenceMs`: middleboxes drop connections without
 * telling either side. The time in which the consumer handles events does not count.
 */
export async function* watchConnection<T extends ApiObject>(
  api: ResourceApi<T>,
  watch: WatchOptions,
  { silenceMs, signal }: ConnectionOptions,
): AsyncGenerator<WatchEvent<T>[]> {
  const connection = new AbortController();
  const forward = () => connection.abort(signal?.reason);
  if (signal?.aborted) forward();
  signal?.addEventListener('abort', forward, { once: true });
  const silence = new Silence(silenceMs, api.client.timing, connection);
  const events = api.watchBatches({ ...watch, signal: connection.signal });
  try {
    for (;;) {
      silence.listen();
      const { done, value } = await events.next();
      silence.pause();
      if (done) return;
      yield value;
    }
  } finally {
    signal?.removeEventListener('abort', forward);
    connection.abort(new ConnectionError('the watch is no longer needed'));
    await events.return(undefined).catch(() => {});
  }
}

/** Aborts a connection on which nothing is received for too long. */
class Silence {
  readonly #timing: Timing;
  readonly #limitMs: number;
  #since: number | undefined;

  constructor(limitMs: number, timing: Timing, connection: AbortController) {
    this.#timing = timing;
    this.#limitMs = limitMs;
    this.#run(connection).catch(() => {});
  }

  listen(): void {
    this.#since = this.#timing.monotonic();
  }

  pause(): void {
    this.#since = undefined;
  }

  /** Looks again when the limit could be reached; ends with the connection. */
  async #run(connection: AbortController): Promise<void> {
    for (let left = this.#limitMs; left > 0; ) {
      await this.#timing.sleep(left, connection.signal);
      left = this.#since === undefined ? this.#limitMs : this.#since + this.#limitMs - this.#timing.monotonic();
    }
    connection.abort(new WatchSilence(`the watch was silent for ${this.#limitMs} ms`));
  }
}
