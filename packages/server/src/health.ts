import type { HealthCheck, HealthChecks } from '@tsukube/apiserver';
import type { Store } from '@tsukube/storage';

/** The checks behind /healthz, /livez and /readyz, under kube-apiserver's names. */
export function healthChecks(store: Store, isReady: () => boolean): HealthChecks {
  const ping: HealthCheck = { name: 'ping', check: () => {} };
  const log: HealthCheck = { name: 'log', check: () => {} };
  const storage: HealthCheck = { name: 'etcd', check: () => store.ping() };
  const storageReadiness: HealthCheck = { name: 'etcd-readiness', check: () => store.ping() };
  const shutdown: HealthCheck = {
    name: 'shutdown',
    check() {
      if (!isReady()) throw new Error('the server is shutting down');
    },
  };
  return {
    healthz: [ping, log, storage],
    livez: [ping, log, storage],
    readyz: [ping, log, storage, storageReadiness, shutdown],
  };
}
