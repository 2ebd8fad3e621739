import { canonicalQuantity, type PathHandler, parseLabelSelector, QuantityError, StatusError } from '@tsukube/sdk';
import { type MemoryProvider, TooManySeries } from '../provider/memory-provider.ts';
import type { ResourceMapper } from '../provider/resource-mapper.ts';
import { type MetricsPath, parseMetricsPath } from './paths.ts';

/** As in custom-metrics-apiserver's test adapter. */
const prefix = '/write-metrics';

/**
 * The write API, for tests: POST of a quantity in JSON to `/write-metrics/` and the rest of the path by which a metric is read, with
 * `external/namespaces/NS/METRIC` for external metrics. The query `labels=a=b,c=d` gives the labels of the series.
 */
export function writeHandler(provider: MemoryProvider, resources: ResourceMapper, now: () => number): PathHandler {
  return (request) => {
    if (!request.path.startsWith(`${prefix}/`)) return false;
    if (request.method !== 'POST') throw StatusError.methodNotAllowed();
    const path = writtenPath(request.path.slice(prefix.length + 1));
    const labels = labelsOf(request.query.get('labels') ?? '');
    return request.body().then(async (body) => {
      const measurement = { value: quantityOf(body), timestampMs: now() };
      try {
        if (path.at === 'external') provider.writeExternal({ ...path, labels, ...measurement });
        else await writeCustom(path, labels, measurement);
      } catch (error) {
        if (error instanceof TooManySeries) throw StatusError.tooManyRequests(error.message, 1);
        throw error;
      }
      return undefined;
    });
  };

  async function writeCustom(
    path: Extract<MetricsPath, { at: 'custom' }>,
    labels: Record<string, string>,
    measurement: { readonly value: string; readonly timestampMs: number },
  ): Promise<void> {
    const resource = await resources.find(path.resource);
    if (resource === undefined) throw StatusError.badRequest(`the server has no resource ${path.resource.resource}`);
    const { group, plural, namespaced } = resource;
    const { namespace, name, metric } = path;
    provider.writeCustom({ group, resource: plural, namespaced, metric, namespace, name, labels, ...measurement });
  }
}

function writtenPath(rest: string): Extract<MetricsPath, { at: 'custom' | 'external' }> {
  const read = rest.startsWith('external/')
    ? `/apis/external.metrics.k8s.io/v1beta1/${rest.slice('external/'.length)}`
    : `/apis/custom.metrics.k8s.io/v1beta2/${rest}`;
  const path = parseMetricsPath(read);
  if (path?.at !== 'custom' && path?.at !== 'external') throw StatusError.pathNotFound();
  return path;
}

function quantityOf(body: Buffer): string {
  try {
    const value: unknown = JSON.parse(body.toString());
    if (typeof value !== 'string' && typeof value !== 'number') throw new QuantityError('not a quantity');
    return canonicalQuantity(String(value));
  } catch (error) {
    throw StatusError.badRequest(`the body must be a quantity in JSON: ${(error as Error).message}`);
  }
}

function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries(
    parseLabelSelector(text).requirements.map(({ key, operator, values }) => {
      if (operator !== '=' && operator !== '==') throw StatusError.badRequest('labels must have the form a=b,c=d');
      return [key, values[0] ?? ''];
    }),
  );
}
