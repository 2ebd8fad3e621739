import type { Answer } from '@tsukube/transport';
import type { Delegate } from '../filters/filter.ts';
import { answerText } from '../http/respond.ts';
import { expositionType } from '../metrics/prometheus/exposition.ts';
import type { Registry } from '../metrics/prometheus/registry.ts';

/** `/metrics`, and `/metrics/slis` for the results of health checks. */
export function metricsPage(metrics: Registry, slis: Registry): Delegate {
  const pages = new Map([
    ['/metrics', metrics],
    ['/metrics/slis', slis],
  ]);
  return function scrape(request) {
    const registry = pages.get(request.path);
    if (!registry) return undefined;
    if (request.method === 'GET' || request.method === 'HEAD') return answer(registry);
    return answerText(405, 'Method Not Allowed\n', { allow: 'GET, HEAD' });
  };
}

async function answer(registry: Registry): Promise<Answer> {
  return { kind: 'bytes', status: 200, type: expositionType, body: await registry.scrape() };
}
