import type { Answer, BytesAnswer, StreamAnswer } from '@tsukube/transport';
import type { IncomingRequest } from '../http/api-request.ts';
import type { RequestMetrics, RequestSeries } from '../metrics/request-metrics.ts';
import { CountingSink, countedBody } from '../metrics/response-metrics.ts';
import type { Filter } from './filter.ts';

/** Milliseconds of a monotonic clock. */
export type Stopwatch = () => number;

/** Observes which request occupies the event loop. Times are those of the stopwatch. */
export interface LoopObserver {
  begin(request: IncomingRequest, at: number): void;
  end(at: number): void;
  /** The answer is a promise. */
  suspend(request: IncomingRequest, at: number): void;
  settle(request: IncomingRequest, tookMs: number): void;
}

/**
 * Counts and times requests: complete bodies when they are ready, bodies in pieces with their last piece, streams when they end.
 * Runs outside of panic recovery, to see error responses.
 */
export function requestMetrics(metrics: RequestMetrics, loop: LoopObserver, now: Stopwatch = () => performance.now()): Filter {
  return function measure(request, next) {
    const began = now();
    loop.begin(request, began);
    const answer = next(request);
    const at = now();
    if (!(answer instanceof Promise)) {
      loop.end(at);
      return measured(answer, request, metrics, { began, at, now });
    }
    loop.suspend(request, at);
    return answer.then((settled) => {
      const end = now();
      loop.settle(request, end - began);
      return measured(settled, request, metrics, { began, at: end, now });
    });
  };
}

interface Timing {
  readonly began: number;
  /** When the answer was ready. */
  readonly at: number;
  readonly now: Stopwatch;
}

function measured(answer: Answer, request: IncomingRequest, metrics: RequestMetrics, timing: Timing): Answer {
  const series = metrics.of(request);
  if (answer.kind === 'stream') return measuredStream(answer, request.info.verb === 'watch', series, timing);
  series.answered(answer.status);
  if (answer.kind === 'bytes' && request.method !== 'HEAD') return measuredBytes(answer, series, timing);
  series.took((timing.at - timing.began) / 1000);
  return answer;
}

function measuredBytes(answer: BytesAnswer, series: RequestSeries, { began, at, now }: Timing): Answer {
  const isWhole = typeof answer.body === 'string' || answer.body instanceof Uint8Array;
  const body = countedBody(answer.body, (bytes) => {
    series.took(((isWhole ? at : now()) - began) / 1000);
    series.sent(bytes);
  });
  return body === answer.body ? answer : { ...answer, body };
}

function measuredStream(answer: StreamAnswer, isWatch: boolean, series: RequestSeries, { began, now }: Timing): Answer {
  return {
    ...answer,
    start(sink) {
      series.open.add(1);
      sink.onClose(() => {
        series.open.add(-1);
        series.answered(answer.status);
        series.took((now() - began) / 1000);
      });
      answer.start(isWatch ? new CountingSink(sink, series.watchEvents()) : sink);
    },
  };
}
