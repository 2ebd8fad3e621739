import type { Store } from '@tsukube/storage';
import type { AdmissionObserver } from '../admission/admission.ts';
import type { VersionInfo } from '../delegates/version.ts';
import type { Resource } from '../resource.ts';
import type { WatchCache } from '../watchcache/watch-cache.ts';
import { admissionMetrics } from './admission-metrics.ts';
import { type AuditMetrics, auditMetrics } from './audit-metrics.ts';
import { type AuthenticationMetrics, authenticationMetrics } from './authentication-metrics.ts';
import { type AuthorizationMetrics, authorizationMetrics } from './authorization-metrics.ts';
import { buildInfo } from './build-info.ts';
import type { Counter } from './counter.ts';
import { FlowControlMetrics } from './flow-control-metrics.ts';
import { type InFlightMetrics, inFlightMetrics } from './in-flight-metrics.ts';
import { measuredStore } from './measured-store.ts';
import { objectCounts } from './object-counts.ts';
import { processMetrics, processStartTime } from './process-metrics.ts';
import { Registry } from './registry.ts';
import { servedSubjects } from './request-labels.ts';
import { RequestMetrics } from './request-metrics.ts';
import { type RuntimeMetrics, runtimeMetrics } from './runtime-metrics.ts';
import { storeMetrics } from './store-metrics.ts';
import { watchCacheMetrics } from './watch-cache-metrics.ts';

export interface ServerMetrics {
  readonly registry: Registry;
  /** Results of health checks, on a page of their own. */
  readonly slis: Registry;
  readonly requests: RequestMetrics;
  readonly inFlight: InFlightMetrics;
  /** Made when first asked for: without priority and fairness there is nothing to measure. */
  readonly flowControl: () => FlowControlMetrics;
  readonly admission: AdmissionObserver;
  readonly audit: AuditMetrics;
  readonly authentication: AuthenticationMetrics;
  readonly authorization: AuthorizationMetrics;
  readonly handshakeErrors: Counter;
  readonly runtime: RuntimeMetrics;
  /** The store for one resource. */
  measured(store: Store, resource: Resource): Store;
  /** Counts the events and objects of a resource from now on. */
  observe(resource: Resource, cache: WatchCache, store: Store): void;
  close(): void;
}

/** Everything that is measured of an API server. */
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
    measured: (store, resource) => measuredStore(store, seriesOf(resource)),
    observe(resource, cache, store) {
      observeCache(resource, cache);
      countObjects({ resource, cache, store });
    },
    runtime,
    close: () => runtime.close(),
  };
}

function handshakeErrors(registry: Registry): Counter {
  return registry
    .counter({
      name: 'apiserver_tls_handshake_errors_total',
      help: "[ALPHA] Number of requests dropped with 'TLS handshake error from' error",
    })
    .with({});
}
