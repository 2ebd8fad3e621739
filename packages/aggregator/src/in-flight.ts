import { Readable } from 'node:stream';
import type { StreamedResponse } from '@tsukube/transport';

/** Requests of one API that wait for the head of their response. A backend that hangs holds no more. */
const maxWaiting = 500;
/** Requests of one API, with watches and other streams. */
const maxOpen = 10_000;

/** Bounds the requests of clients that a backend holds at a time. */
export class InFlight {
  #waiting = 0;
  #open = 0;

  /** False if there are too many. Otherwise `answered` or `failed` must follow. */
  enter(): boolean {
    if (this.#waiting >= maxWaiting || this.#open >= maxOpen) return false;
    this.#waiting++;
    this.#open++;
    return true;
  }

  /** The head of the response has arrived; `left` must follow. */
  answered(): void {
    this.#waiting--;
  }

  /** The response is complete. */
  left(): void {
    this.#open--;
  }

  /** There is no response. */
  failed(): void {
    this.#waiting--;
    this.#open--;
  }
}

/** Accounts for a request. Undefined if there are too many. */
export async function admitted(inFlight: InFlight, send: () => Promise<StreamedResponse>): Promise<StreamedResponse | undefined> {
  if (!inFlight.enter()) return undefined;
  try {
    const response = await send();
    inFlight.answered();
    if (response.body instanceof Readable) response.body.once('close', () => inFlight.left());
    else inFlight.left();
    return response;
  } catch (error) {
    inFlight.failed();
    throw error;
  }
}
