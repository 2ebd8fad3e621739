import type { Store } from '@tsukube/storage';
import { type AuditMetrics, auditMetrics } from '../audit/audit-metrics.ts';
import type { HealthCheck, HealthChecks } from '../delegates/health.ts';
import type { VersionInfo } from '../delegates/pages.ts';
import type { AdmissionObserver } from '../registry/admission.ts';
import type { Resource } from '../registry/resource.ts';
import type { WatchCache } from '../watchcache/watch-cache.ts';
import {
  type AuthenticationMetrics,
  type AuthorizationMetrics,
  admissionMetrics,
  authenticationMetrics,
  authorizationMetrics,
} from './access-metrics.ts';
import { FlowControlMetrics } from './flow-control-metrics.ts';
import { type InFlightMetrics, inFlightMetrics } from './in-flight-metrics.ts';
import { type KubeletMetrics, kubeletMetrics } from './kubelet-metrics.ts';
import { buildInfo, processMetrics, processStartTime, type RuntimeMetrics, runtimeMetrics } from './process-metrics.ts';
import { Registry } from './prometheus/registry.ts';
import type { CounterSeries } from './prometheus/series.ts';
import { servedSubjects } from './request-labels.ts';
import { RequestMetrics } from './request-metrics.ts';
import { measuredStore, storeMetrics } from './store-metrics.ts';
import { objectCounts, watchCacheMetrics } from './watch-cache-metrics.ts';

export interface ServerMetrics {
  readonly registry: Registry;
  /** Health check results for /metrics/slis. */
  readonly slis: Registry;
  readonly requests: RequestMetrics;
  readonly inFlight: InFlightMetrics;
  /** Created on first use, only with API Priority and Fairness. */
  readonly flowControl: () => FlowControlMetrics;
  readonly admission: AdmissionObserver;
  readonly audit: AuditMetrics;
  readonly authentication: AuthenticationMetrics;
  readonly authorization: AuthorizationMetrics;
  readonly handshakeErrors: CounterSeries;
  readonly kubelets: KubeletMetrics;
  readonly runtime: RuntimeMetrics;
  /** Wraps a store with the metrics of a resource. */
  measured(store: Store, resource: Resource): Store;
  /** Starts counting the events and objects of a resource. */
  observe(resource: Resource, cache: WatchCache, store: Store): void;
  close(): void;
}

/** All metrics of an API server. */
export function serverMetrics(version: VersionInfo, resources: readonly Resource[]): ServerMetrics {
  const registry = new Registry();
  const slis = new Registry();
  const served = servedSubjects(resources);
  const seriesOf = storeMetrics(registry);
  const observeCache = watchCacheMetrics(registry);
  const countObjects = objectCounts(registry);
  const runtime = runtimeMetrics(registry);
  buildInfo(registry, version);
  processMetrics(registry);
  processStartTime(slis);
  return {
    registry,
    slis,
    requests: new RequestMetrics(registry, () => served),
    inFlight: inFlightMetrics(registry),
    flowControl: () => new FlowControlMetrics(registry, () => performance.now() / 1000),
    admission: admissionMetrics(registry),
    audit: auditMetrics(registry),
    authentication: authenticationMetrics(registry),
    authorization: authorizationMetrics(registry),
    handshakeErrors: handshakeErrors(registry),
    kubelets: kubeletMetrics(registry),
    measured: (store, resource) => measuredStore(store, seriesOf(resource)),
    observe(resource, cache, store) {
      observeCache(resource, cache);
      countObjects({ resource, cache, store });
    },
    runtime,
    close: () => runtime.close(),
  };
}

function handshakeErrors(registry: Registry): CounterSeries {
  return registry
    .counter({
      name: 'apiserver_tls_handshake_errors_total',
      help: "[ALPHA] Number of requests dropped with 'TLS handshake error from' error",
    })
    .with({});
}

/** Wraps health checks so that their results are recorded. */
export function observedHealthChecks(checks: HealthChecks, registry: Registry): HealthChecks {
  const last = registry.gauge({
    name: 'kubernetes_healthcheck',
    help: '[STABLE] This metric records the result of a single healthcheck.',
    labels: ['name', 'type'],
  });
  const total = registry.counter({
    name: 'kubernetes_healthchecks_total',
    help: '[STABLE] This metric records the results of all healthcheck.',
    labels: ['name', 'type', 'status'],
  });
  const observed = (type: keyof HealthChecks) =>
    checks[type].map(({ check, ...rest }): HealthCheck => {
      const { name } = rest;
      const note = (ok: boolean) => {
        last.with({ name, type }).set(ok ? 1 : 0);
        total.with({ name, type, status: ok ? 'success' : 'error' }).increase();
      };
      return { ...rest, check: () => noted(check, note) };
    });
  return { healthz: observed('healthz'), livez: observed('livez'), readyz: observed('readyz') };
}

async function noted(check: HealthCheck['check'], note: (ok: boolean) => void): Promise<void> {
  try {
    await check();
    note(true);
  } catch (error) {
    note(false);
    throw error;
  }
}
