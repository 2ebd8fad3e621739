import type { IncomingRequest } from '../http/api-request.ts';
import type { RequestInfo } from '../http/request-info.ts';
import { type Resource, removedRelease } from '../registry/resource.ts';

/** Verbs that are reported as labels; all others are `other`. */
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

/** Labels of a request. Taken from the served resources, never from client input. */
export interface SubjectLabels {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly component: '' | 'apiserver';
}

export interface ResourceLabels extends SubjectLabels {
  /** The release that removes a deprecated version (1.25); empty if none is known. Not a label. */
  readonly removedRelease?: string;
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

export function scopeOf({ isResource, verb, parts, namespace }: RequestInfo): Scope {
  if (!isResource) return '';
  if (parts.length > 1 || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}

export function dryRunOf(request: IncomingRequest): DryRun {
  const { url } = request.exchange;
  if (url.length === request.path.length || !url.includes('dryRun')) return '';
  const asked = request.query.getAll('dryRun');
  if (asked.length === 0) return '';
  return asked.every((value) => value === 'All') ? 'All' : 'invalid';
}

const elsewhere: SubjectLabels = { group: '', version: '', resource: '', subresource: '', component: '' };

/** Labels of non-resource paths, by their first segment. */
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

/** Labels of the served resources, by plural name. */
export type ServedSubjects = ReadonlyMap<string, readonly ResourceLabels[]>;

export function servedSubjects(resources: readonly Resource[]): ServedSubjects {
  const subjects = new Map<string, ResourceLabels[]>();
  for (const resource of resources) {
    const { plural } = resource.names;
    subjects.set(plural, [...(subjects.get(plural) ?? []), ...subjectsOf(resource)]);
  }
  return subjects;
}

function subjectsOf({ versions, names, subresources = {} }: Resource): ResourceLabels[] {
  return versions.flatMap(({ group, version, deprecationWarning }) =>
    ['', ...Object.keys(subresources)].map((subresource): ResourceLabels => {
      const labels = { group, version, resource: names.plural, subresource, component: 'apiserver' } as const;
      return deprecationWarning === undefined ? labels : { ...labels, removedRelease: removedRelease(deprecationWarning) };
    }),
  );
}

/** Undefined if the resource is not served. One lookup and comparisons are cheaper than building a combined key. */
export function resourceLabels(served: ServedSubjects, info: RequestInfo): ResourceLabels | undefined {
  for (const subject of served.get(info.resource) ?? []) {
    if (subject.subresource === info.subresource && subject.version === info.version && subject.group === info.group)
      return subject;
  }
  return undefined;
}
