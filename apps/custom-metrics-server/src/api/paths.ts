import { type GroupResource, parseGroupResource } from '@tsukube/client';

export const customGroup = 'custom.metrics.k8s.io';
export const externalGroup = 'external.metrics.k8s.io';
/** The preferred version first. */
export const customVersions = ['v1beta2', 'v1beta1'] as const;
export const externalVersions = ['v1beta1'] as const;
export type CustomVersion = (typeof customVersions)[number];

/** Selects all objects that the label selector matches. */
export const allObjects = '*';

/** A parsed path of the metrics APIs. */
export type MetricsPath =
  | { readonly at: 'groups' }
  | { readonly at: 'group'; readonly group: string }
  | { readonly at: 'version'; readonly group: string; readonly version: string }
  | {
      readonly at: 'custom';
      readonly version: CustomVersion;
      /** Undefined for objects of the cluster. */
      readonly namespace: string | undefined;
      readonly resource: GroupResource;
      readonly name: string;
      readonly metric: string;
    }
  | { readonly at: 'external'; readonly namespace: string; readonly metric: string }
  /** Within a version, but not the path of a metric. */
  | { readonly at: 'nowhere' };

/** Undefined for paths of other APIs. */
export function parseMetricsPath(path: string): MetricsPath | undefined {
  const [empty, apis, group, version, ...rest] = path.replace(/\/$/, '').split('/');
  if (empty !== '' || apis !== 'apis') return undefined;
  if (group === undefined) return { at: 'groups' };
  const versions: readonly string[] = group === customGroup ? customVersions : group === externalGroup ? externalVersions : [];
  if (versions.length === 0) return undefined;
  if (version === undefined) return { at: 'group', group };
  if (!versions.includes(version)) return { at: 'nowhere' };
  if (rest.length === 0) return { at: 'version', group, version };
  if (rest.some((segment) => segment === '')) return { at: 'nowhere' };
  return group === externalGroup ? externalPath(rest) : customPath(rest, version as CustomVersion);
}

function externalPath([scope, namespace, metric, ...more]: readonly string[]): MetricsPath {
  if (scope !== 'namespaces' || namespace === undefined || metric === undefined || more.length > 0) return { at: 'nowhere' };
  return { at: 'external', namespace, metric };
}

/**
 * `namespaces/NS/RESOURCE/NAME/METRIC`, `RESOURCE/NAME/METRIC`, and `namespaces/NS/metrics/METRIC` for a metric of the namespace itself.
 */
function customPath(rest: readonly string[], version: CustomVersion): MetricsPath {
  const [first = '', second = '', third = '', fourth = '', fifth = ''] = rest;
  if (rest.length === 5 && first === 'namespaces')
    return { at: 'custom', version, namespace: second, resource: parseGroupResource(third), name: fourth, metric: fifth };
  if (rest.length === 4 && first === 'namespaces' && third === 'metrics')
    return {
      at: 'custom',
      version,
      namespace: undefined,
      resource: parseGroupResource('namespaces'),
      name: second,
      metric: fourth,
    };
  if (rest.length === 3)
    return { at: 'custom', version, namespace: undefined, resource: parseGroupResource(first), name: second, metric: third };
  return { at: 'nowhere' };
}
