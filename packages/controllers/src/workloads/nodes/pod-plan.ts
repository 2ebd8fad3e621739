import type { coreV1 } from '@tsukube/api/kinds';

/**
 * How a simulated pod behaves, from the annotations of the pod. All are optional:
 *
 * | annotation `simulation.tsukube.dev/…` | |
 * |---|---|
 * | `pending` | a reason, such as `ImagePullBackOff`: the containers wait for it and never start |
 * | `start-seconds` | seconds until the containers run |
 * | `ready-seconds` | seconds until the running containers are ready; `never` |
 * | `run-seconds` | seconds after which the containers exit; the pods of a Job exit at once by default, others never |
 * | `exit-code` | the exit code, 0 by default; not 0 without `run-seconds`: the containers exit at once |
 * | `stop-seconds` | seconds that the containers need to stop when the pod is deleted, at most the grace period |
 */
export interface PodPlan {
  readonly pending: string | undefined;
  readonly startMs: number;
  readonly readyMs: number;
  /** Infinity: the containers never exit. */
  readonly runMs: number;
  readonly exitCode: number;
  readonly stopMs: number;
}

const prefix = 'simulation.tsukube.dev/';
const maxSeconds = 365 * 24 * 3600;

export function planOf({ metadata }: coreV1.Pod): PodPlan {
  const text = (name: string) => metadata.annotations?.[prefix + name];
  const ms = (name: string, fallback: number): number => {
    const value = Number(text(name) ?? Number.NaN);
    return value >= 0 && value <= maxSeconds ? value * 1000 : fallback;
  };
  const code = Number(text('exit-code') ?? 0);
  const exitCode = Number.isInteger(code) && code >= 0 && code <= 255 ? code : 1;
  const isOfJob = metadata.ownerReferences?.some(({ kind, controller }) => controller && kind === 'Job') ?? false;
  return {
    pending: text('pending'),
    startMs: ms('start-seconds', 0),
    readyMs: text('ready-seconds') === 'never' ? Number.POSITIVE_INFINITY : ms('ready-seconds', 0),
    runMs: ms('run-seconds', isOfJob || exitCode !== 0 ? 0 : Number.POSITIVE_INFINITY),
    exitCode,
    stopMs: ms('stop-seconds', 0),
  };
}
