import type { Answer, BytesAnswer, StreamAnswer } from '../http/answer.ts';
import type { IncomingRequest } from '../http/api-request.ts';
import { countedBody } from '../metrics/counted-body.ts';
import { CountingSink } from '../metrics/counting-sink.ts';
import type { RequestMetrics } from '../metrics/request-metrics.ts';
import type { RequestSeries } from '../metrics/request-series.ts';
import type { Filter } from './filter.ts';

/** Milliseconds on a clock that never goes back. */
export type Stopwatch = () => number;

/**
 * Counts and times requests. A whole answer counts when it is there, one in pieces takes until its last piece is
 * handed over, and a stream counts when it ends. Stands outside of what turns errors into answers, so as to see those.
 */
export function requestMetrics(metrics: RequestMetrics, now: Stopwatch = () => performance.now()): Filter {
  return function measure(request, next) {
    const began = now();
    const answer = next(request);
    if (answer instanceof Promise) return answer.then((settled) => measured(settled, request, metrics, began, now));
    return measured(answer, request, metrics, began, now);
  };
}

function measured(answer: Answer, request: IncomingRequest, metrics: RequestMetrics, began: number, now: Stopwatch): Answer {
  const series = metrics.of(request);
  const took = () => series.took((now() - began) / 1000);
  if (answer.kind === 'stream') return measuredStream(answer, request.info.verb === 'watch', series, took);
  series.answered(answer.status);
  if (answer.kind === 'bytes' && request.method !== 'HEAD') return measuredBytes(answer, series, took);
  took();
  return answer;
}

function measuredBytes(answer: BytesAnswer, series: RequestSeries, took: () => void): Answer {
  const body = countedBody(answer.body, (bytes) => {
    took();
    series.sent(bytes);
  });
  return body === answer.body ? answer : { ...answer, body };
}

function measuredStream(answer: StreamAnswer, isWatch: boolean, series: RequestSeries, took: () => void): Answer {
  return {
    ...answer,
    start(sink) {
      series.open.add(1);
      sink.onClose(() => {
        series.open.add(-1);
        series.answered(answer.status);
        took();
      });
      answer.start(isWatch ? new CountingSink(sink, series.watchEvents()) : sink);
    },
  };
}
