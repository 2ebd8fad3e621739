import type { IncomingRequest } from '../http/api-request.ts';
import type { Resource } from '../resource.ts';
import type { RequestInfo } from '../routing/request-info.ts';

/** The verbs that metrics tell apart; everything else is `other`. */
export const reportedVerbs = [
  'GET',
  'LIST',
  'WATCH',
  'POST',
  'PUT',
  'PATCH',
  'APPLY',
  'DELETE',
  'CONNECT',
  'PROXY',
  'other',
] as const;
export type ReportedVerb = (typeof reportedVerbs)[number];
export type Scope = '' | 'cluster' | 'namespace' | 'resource';
export type DryRun = '' | 'All' | 'invalid';

/** What a request is about, in labels. Taken from what is served, never from what a client sent. */
export interface SubjectLabels {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly component: '' | 'apiserver';
}

const verbs = new Map<string, ReportedVerb>([
  ['get', 'GET'],
  ['head', 'GET'],
  ['list', 'LIST'],
  ['watch', 'WATCH'],
  ['create', 'POST'],
  ['post', 'POST'],
  ['update', 'PUT'],
  ['put', 'PUT'],
  ['patch', 'PATCH'],
  ['delete', 'DELETE'],
  ['deletecollection', 'DELETE'],
  ['proxy', 'PROXY'],
]);
const connecting = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

export function reportedVerb(request: IncomingRequest): ReportedVerb {
  const { verb, isResource, subresource } = request.info;
  if (isResource && subresource !== '' && connecting.has(subresource)) return 'CONNECT';
  if (verb === 'patch' && request.exchange.header('content-type') === 'application/apply-patch+yaml') return 'APPLY';
  return verbs.get(verb) ?? 'other';
}

/** Whether one object is meant, those of a namespace, or all. */
export function scopeOf({ isResource, verb, parts, namespace }: RequestInfo): Scope {
  if (!isResource) return '';
  if (parts.length > 1 || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

export function dryRunOf({ exchange, path, query }: IncomingRequest): DryRun {
  if (exchange.url.length === path.length || !exchange.url.includes('dryRun')) return '';
  const asked = query.getAll('dryRun');
  if (asked.length === 0) return '';
  return asked.every((value) => value === 'All') ? 'All' : 'invalid';
}

const elsewhere: SubjectLabels = { group: '', version: '', resource: '', subresource: '', component: '' };

/** Paths outside the resources, by their first part and under the names that kube-apiserver gives them. */
const paths = new Map<string, SubjectLabels>([
  ...['/healthz', '/livez', '/readyz', '/version', '/metrics', '/logs'].map((path) => pathSubject(path, '')),
  ...['/api', '/apis'].map((path) => pathSubject(path, 'apiserver')),
]);
const openApi: readonly SubjectLabels[] = ['openapi/v2', 'openapi/v3'].map((path) => ({ ...elsewhere, subresource: path }));

function pathSubject(path: string, component: SubjectLabels['component']): [string, SubjectLabels] {
  return [path, { ...elsewhere, subresource: path, component }];
}

export function pathLabels(path: string): SubjectLabels {
  const end = path.indexOf('/', 1);
  const first = end < 0 ? path : path.slice(0, end);
  if (first === '/openapi') return openApi.find(({ subresource }) => path.startsWith(subresource, 1)) ?? elsewhere;
  return paths.get(first) ?? elsewhere;
}

export function resourceKey({ group, version, resource, subresource }: Omit<SubjectLabels, 'component'>): string {
  return `${group}/${version}/${resource}/${subresource}`;
}

/** Everything that resources serve, by `resourceKey`. */
export function servedSubjects(resources: readonly Resource[]): ReadonlyMap<string, SubjectLabels> {
  const subjects = new Map<string, SubjectLabels>();
  for (const { versions, names, subresources = {} } of resources) {
    for (const { group, version } of versions) {
      for (const subresource of ['', ...Object.keys(subresources)]) {
        const labels = { group, version, resource: names.plural, subresource, component: 'apiserver' } as const;
        subjects.set(resourceKey(labels), labels);
      }
    }
  }
  return subjects;
}
