import type { Registry } from './prometheus/registry.ts';

const durationBounds = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const level = ['priority_level'] as const;
const flow = ['priority_level', 'flow_schema'] as const;

export type FlowControlFamilies = ReturnType<typeof flowControlFamilies>;

/** Metric families of API Priority and Fairness, with kube-apiserver's names, labels and buckets. */
export function flowControlFamilies(registry: Registry, now: () => number) {
  const named = (name: string, help: string) => ({ name: `apiserver_flowcontrol_${name}`, help });
  const levelGauge = (name: string, help: string) => registry.gauge({ ...named(name, help), labels: level });
  const flowGauge = (name: string, help: string) => registry.gauge({ ...named(name, help), labels: flow });
  const executingSeats =
    'Concurrency (number of seats) occupied by the currently executing (initial stage for a WATCH, any stage otherwise) requests in the API Priority and Fairness subsystem';
  return {
    rejected: registry.counter({
      ...named('rejected_requests_total', '[BETA] Number of requests rejected by API Priority and Fairness subsystem'),
      labels: [...flow, 'reason'],
    }),
    dispatched: registry.counter({
      ...named('dispatched_requests_total', '[BETA] Number of requests executed by API Priority and Fairness subsystem'),
      labels: flow,
    }),
    seatUtilization: registry.timingHistogram({
      ...named(
        'priority_level_seat_utilization',
        'EXPERIMENTAL: [ALPHA] Observations, at the end of every nanosecond, of utilization of seats for any stage of execution (but only initial stage for WATCHes)',
      ),
      labels: [...level, 'phase'],
      bounds: [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      now,
    }),
    requestUtilization: registry.timingHistogram({
      ...named(
        'priority_level_request_utilization',
        'EXPERIMENTAL: [ALPHA] Observations, at the end of every nanosecond, of number of requests (as a fraction of the relevant limit) waiting or in any stage of execution (but only initial stage for WATCHes)',
      ),
      labels: ['phase', ...level],
      bounds: [0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.25, 0.5, 0.75, 1],
      now,
    }),
    readVsWrite: registry.timingHistogram({
      ...named(
        'read_vs_write_current_requests',
        'EXPERIMENTAL: [ALPHA] Observations, at the end of every nanosecond, of the number of requests (as a fraction of the relevant limit) waiting or in regular stage of execution',
      ),
      labels: ['phase', 'request_kind'],
      bounds: [0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1],
      now,
    }),
    demand: registry.timingHistogram({
      ...named(
        'demand_seats',
        'EXPERIMENTAL: [ALPHA] Observations, at the end of every nanosecond, of (the number of seats each priority level could use) / (nominal number of seats for that level)',
      ),
      labels: level,
      bounds: [0.2, 0.4, 0.6, 0.8, 1, 1.2, 1.4, 1.7, 2, 2.8, 4, 6],
      now,
    }),
    currentR: levelGauge('current_r', '[ALPHA] R(time of last change)'),
    dispatchR: levelGauge('dispatch_r', '[ALPHA] R(time of last dispatch)'),
    latestS: levelGauge('latest_s', '[ALPHA] S(most recently dispatched request)'),
    nextS: registry.gauge({
      ...named('next_s_bounds', '[ALPHA] min and max, over queues, of S(oldest waiting request in queue)'),
      labels: [...level, 'bound'],
    }),
    nextDiscountedS: registry.gauge({
      ...named(
        'next_discounted_s_bounds',
        '[ALPHA] min and max, over queues, of S(oldest waiting request in queue) - estimated work in progress',
      ),
      labels: [...level, 'bound'],
    }),
    inQueueRequests: flowGauge(
      'current_inqueue_requests',
      '[BETA] Number of requests currently pending in queues of the API Priority and Fairness subsystem',
    ),
    inQueueSeats: flowGauge(
      'current_inqueue_seats',
      '[ALPHA] Number of seats currently pending in queues of the API Priority and Fairness subsystem',
    ),
    queueLength: registry.histogram({
      ...named(
        'request_queue_length_after_enqueue',
        '[ALPHA] Length of queue in the API Priority and Fairness subsystem, as seen by each request after it is enqueued',
      ),
      labels: flow,
      bounds: [0, 10, 25, 50, 100, 250, 500, 1000],
    }),
    executingRequests: flowGauge(
      'current_executing_requests',
      '[BETA] Number of requests in initial (for a WATCH) or any (for a non-WATCH) execution stage in the API Priority and Fairness subsystem',
    ),
    executingSeats: flowGauge('current_executing_seats', `[BETA] ${executingSeats}`),
    waitSeconds: registry.histogram({
      ...named('request_wait_duration_seconds', '[BETA] Length of time a request spent waiting in its queue'),
      labels: [...flow, 'execute'],
      bounds: durationBounds,
    }),
    executionSeconds: registry.histogram({
      ...named(
        'request_execution_seconds',
        '[ALPHA] Duration of initial stage (for a WATCH) or any (for a non-WATCH) stage of request execution in the API Priority and Fairness subsystem',
      ),
      labels: [...flow, 'type'],
      bounds: durationBounds,
    }),
    watchCounts: registry.histogram({
      ...named('watch_count_samples', '[ALPHA] count of watchers for mutating requests in API Priority and Fairness'),
      labels: flow,
      bounds: [0, 1, 10, 100, 1000, 10000],
    }),
    estimatedSeats: registry.histogram({
      ...named(
        'work_estimated_seats',
        '[ALPHA] Number of estimated seats (maximum of initial and final seats) associated with requests in API Priority and Fairness',
      ),
      labels: flow,
      bounds: [1, 2, 4, 8, 16, 32, 64, 100],
    }),
    noAccommodation: registry.counter({
      ...named(
        'request_dispatch_no_accommodation_total',
        '[ALPHA] Number of times a dispatch attempt resulted in a non accommodation due to lack of available seats',
      ),
      labels: flow,
    }),
    nominalLimit: levelGauge(
      'nominal_limit_seats',
      '[BETA] Nominal number of execution seats configured for each priority level',
    ),
    lowerLimit: levelGauge(
      'lower_limit_seats',
      '[ALPHA] Configured lower bound on number of execution seats available to each priority level',
    ),
    upperLimit: levelGauge(
      'upper_limit_seats',
      '[ALPHA] Configured upper bound on number of execution seats available to each priority level',
    ),
    demandHigh: levelGauge('demand_seats_high_watermark', '[ALPHA] High watermark, over last adjustment period, of demand_seats'),
    demandAverage: levelGauge(
      'demand_seats_average',
      '[ALPHA] Time-weighted average, over last adjustment period, of demand_seats',
    ),
    demandDeviation: levelGauge(
      'demand_seats_stdev',
      '[ALPHA] Time-weighted standard deviation, over last adjustment period, of demand_seats',
    ),
    demandSmoothed: levelGauge('demand_seats_smoothed', '[ALPHA] Smoothed seat demands'),
    target: levelGauge('target_seats', '[ALPHA] Seat allocation targets'),
    fairFraction: registry
      .gauge(
        named(
          'seat_fair_frac',
          "[ALPHA] Fair fraction of server's concurrency to allocate to each priority level that can use it",
        ),
      )
      .with({}),
    currentLimit: levelGauge(
      'current_limit_seats',
      '[ALPHA] current derived number of execution seats available to each priority level',
    ),
  };
}
