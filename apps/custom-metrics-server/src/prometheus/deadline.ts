/**
 * A signal that is aborted with another one, or after a time. AbortSignal.any does not keep its sources in Node 20: a timeout among them may be
 * collected before it fires.
 */
export class Deadline {
  readonly signal: AbortSignal;
  /** Releases the timer and the other signal. */
  readonly clear: () => void;

  constructor(parent: AbortSignal, ms: number) {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(new Error(`not done within ${ms} ms`)), ms);
    const forward = () => controller.abort(parent.reason);
    if (parent.aborted) forward();
    parent.addEventListener('abort', forward, { once: true });
    this.signal = controller.signal;
    this.clear = () => {
      clearTimeout(timer);
      parent.removeEventListener('abort', forward);
    };
  }
}
