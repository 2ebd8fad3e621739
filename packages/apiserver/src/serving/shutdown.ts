import { setTimeout as pause } from 'node:timers/promises';
import type { Listener } from '@tsukube/transport';
import type { Logger } from '../logger.ts';
import type { ShutdownNotice } from '../registry/resource-request.ts';

export interface Shutdown {
  readonly notice: ShutdownNotice;
  /** Notifies all listeners, spread evenly over a time. */
  begin(spreadMs?: number): Promise<void>;
}

export function shutdownNotice(): Shutdown {
  const listeners = new Set<() => void>();
  let begun = false;
  return {
    notice: {
      onBegin(listener) {
        if (begun) setImmediate(listener);
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    },
    async begin(spreadMs = 0) {
      begun = true;
      const all = [...listeners];
      const started = performance.now();
      for (const [i, listener] of all.entries()) {
        const waitMs = (spreadMs * i) / all.length - (performance.now() - started);
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        if (listeners.has(listener)) listener();
      }
    },
  };
}

/** Times of a graceful shutdown, with the names and defaults of kube-apiserver's flags. */
export interface DrainOptions {
  readonly shutdownDelayDuration: number;
  readonly shutdownSendRetryAfter: boolean;
  readonly shutdownWatchTerminationGracePeriod: number;
  readonly requestTimeout: number;
}

/** The parts of a server that a shutdown drains. */
interface Drained {
  readonly options: DrainOptions;
  readonly listener: Listener;
  readonly logger: Logger;
  readonly api: {
    beginShutdown(): void;
    withdraw(): Promise<void>;
    endWatches(spreadMs: number): Promise<void>;
    drain(): Promise<void>;
  };
}

/** Bounds the removal of this server from the endpoints of the Service kubernetes. */
const withdrawMs = 5_000;
/** kube-apiserver's timeout once all requests are drained. */
const idleConnectionsMs = 2_000;
/** HTTP/1.1 connections are retired for this long at the end of the delay, or for half of it. */
const maxRetirementMs = 5_000;

/**
 * The order of kube-apiserver: readiness fails and the endpoint is withdrawn; load balancers react during the delay; then watches
 * end and requests in flight finish. The port is closed before that, or last if new requests are answered with Retry-After.
 */
export async function drainServer({ options, api, listener, logger }: Drained): Promise<void> {
  logger.info('draining');
  api.beginShutdown();
  const withdrawn = within(withdrawMs, api.withdraw());
  await delayShutdown(options.shutdownDelayDuration, listener);
  await withdrawn;
  const { shutdownWatchTerminationGracePeriod: grace, requestTimeout } = options;
  const watchesEnded = api.endWatches(grace);
  if (options.shutdownSendRetryAfter) {
    await Promise.all([within(requestTimeout, api.drain()), watchesEnded]);
    await within(idleConnectionsMs, listener.close());
  } else await within(Math.max(requestTimeout, grace), Promise.all([listener.close(), watchesEnded]));
  listener.force();
}

/**
 * An idle HTTP/1.1 connection cannot be closed safely: the client may be sending a request that is not safe to repeat. Towards the
 * end of the delay each answer therefore ends its connection, which leaves only connections that are not in use.
 */
async function delayShutdown(delayMs: number, listener: Listener): Promise<void> {
  if (delayMs <= 0) return;
  const retirement = Math.min(delayMs / 2, maxRetirementMs);
  await pause(delayMs - retirement);
  listener.retire();
  await pause(retirement);
}

async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  const timeout = new AbortController();
  const expired = pause(milliseconds, undefined, { signal: timeout.signal }).catch(() => {});
  await Promise.race([work, expired]);
  timeout.abort();
}
