/**
 * A signal that is aborted with another one, or after a time. AbortSignal.any does not keep its sources in Node 20: a timeout
 * among them may be garbage-collected before it fires.
 */
export class Deadline {
  readonly signal: AbortSignal;
  /** Releases the timer and the other signal. */
  readonly clear: () => void;

  constructor(parent: AbortSignal, ms: number) {
    const controller = new AbortController();
    const end = (reason: unknown) => {
      this.clear();
      controller.abort(reason);
    };
    const forward = () => end(parent.reason);
    const timer = setTimeout(() => end(new Error(`not done within ${ms} ms`)), ms);
    this.signal = controller.signal;
    this.clear = () => {
      clearTimeout(timer);
      parent.removeEventListener('abort', forward);
    };
    if (parent.aborted) forward();
    else parent.addEventListener('abort', forward);
  }
}
