import type { MetricsPoint } from '../kubelet/node-sample.ts';

/** Usage between two points. */
export interface Usage {
  /** Billionths of a core. */
  readonly nanoCores: number;
  readonly memoryBytes: number;
  /** Time of the newer point. */
  readonly timestampMs: number;
  /** Between the points. */
  readonly windowMs: number;
}

/** The two newest points of a node or container. Usage needs both. */
export interface PointWindow {
  readonly last: MetricsPoint;
  readonly previous: MetricsPoint | undefined;
}

/** Undefined while there is one point only, and if the counter was reset between the two. */
export function usageOf({ last, previous }: PointWindow): Usage | undefined {
  if (previous === undefined) return undefined;
  const windowMs = last.timestampMs - previous.timestampMs;
  if (windowMs <= 0 || last.startMs < previous.startMs || last.cpuSeconds < previous.cpuSeconds) return undefined;
  const nanoCores = Math.floor(((last.cpuSeconds - previous.cpuSeconds) / windowMs) * 1e12);
  return { nanoCores, memoryBytes: Math.floor(last.memoryBytes), timestampMs: last.timestampMs, windowMs };
}

/**
 * The window after another point. Kubelets measure every 10 to 15 seconds and report a point until the next, so the same point may
 * be repeated: then the previous one stays. A point older than the previous one leaves none.
 */
export function nextWindow(window: PointWindow | undefined, point: MetricsPoint): PointWindow {
  if (window === undefined) return { last: point, previous: undefined };
  if (point.timestampMs > window.last.timestampMs) return { last: point, previous: window.last };
  const { previous } = window;
  return { last: point, previous: previous && previous.timestampMs < point.timestampMs ? previous : undefined };
}

/** Younger containers have used too little for a rate. */
const minContainerAgeMs = 10_000;

/**
 * The same for a container, whose start is known. A container that started within the last period gets a zero point at its start,
 * so that it has a usage one period earlier. A restart begins a new window.
 */
export function nextContainerWindow(window: PointWindow | undefined, point: MetricsPoint, resolutionMs: number): PointWindow {
  const ageMs = point.timestampMs - point.startMs;
  if (ageMs >= minContainerAgeMs && ageMs < resolutionMs)
    return { last: point, previous: { ...point, timestampMs: point.startMs, cpuSeconds: 0 } };
  const hasRestarted = window !== undefined && point.startMs >= window.last.timestampMs;
  return nextWindow(hasRestarted ? undefined : window, point);
}
