import type { HealthCheck, HealthChecks } from '../health/health.ts';
import type { Registry } from './registry.ts';

/** The same checks, whose results are kept for /metrics/slis. */
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
