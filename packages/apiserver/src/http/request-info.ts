/** Kubernetes' RequestInfo, derived from method, path and query. */
export interface RequestInfo {
  readonly isResource: boolean;
  /** get, list, watch, create …; for non-resource paths the method in lower case. */
  readonly verb: string;
  /** The verb comes from the path, in the deprecated /watch/ and /proxy/. */
  readonly verbInPath: boolean;
  /** `api` or `apis`; empty for other paths. */
  readonly prefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  /** The path from the resource on. */
  readonly parts: readonly string[];
}

/**
 * An instance of a class, since V8 pretenures object literals: requests that wait for a commit made it allocate those of all
 * requests in the old generation, where each kept what it refers to until a major collection. Scavenges took twice as long.
 */
class Info implements RequestInfo {
  readonly isResource: boolean;
  readonly verb: string;
  readonly verbInPath: boolean;
  readonly prefix: string;
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
  readonly parts: readonly string[];

  constructor(info: RequestInfo) {
    this.isResource = info.isResource;
    this.verb = info.verb;
    this.verbInPath = info.verbInPath;
    this.prefix = info.prefix;
    this.group = info.group;
    this.version = info.version;
    this.namespace = info.namespace;
    this.resource = info.resource;
    this.subresource = info.subresource;
    this.name = info.name;
    this.parts = info.parts;
  }
}

const namespaceSubresources = new Set(['status', 'finalize']);
const verbOfMethod: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** `path` is decoded and without the query. */
export function requestInfo(method: string, path: string, query: () => URLSearchParams): RequestInfo {
  const segments = splitPath(path);
  const prefix = segments[0];
  if (segments.length < 3 || (prefix !== 'api' && prefix !== 'apis')) return nonResource(method, '');
  if (prefix === 'apis' && segments.length < 4) return nonResource(method, prefix);
  const at = prefix === 'api' ? 1 : 2;
  const group = prefix === 'api' ? '' : (segments[1] ?? '');
  return resourceInfo(method, prefix, group, segments, at, query);
}

function resourceInfo(
  method: string,
  prefix: string,
  group: string,
  segments: string[],
  at: number,
  query: () => URLSearchParams,
): RequestInfo {
  const version = segments[at] ?? '';
  let from = at + 1;
  let verb = verbOfMethod[method] ?? '';
  const special = segments[from] ?? '';
  const verbInPath = (special === 'watch' || special === 'proxy') && segments.length > from + 1;
  if (verbInPath) {
    verb = special;
    from++;
  }
  let namespace = '';
  if (segments[from] === 'namespaces' && segments.length > from + 1) {
    namespace = segments[from + 1] ?? '';
    if (segments.length > from + 2 && !namespaceSubresources.has(segments[from + 2] ?? '')) from += 2;
  }
  const parts = segments.slice(from);
  let name = parts[1] ?? '';
  const subresource = verb === 'proxy' ? '' : (parts[2] ?? '');
  if (name === '' && verb === 'get') {
    const parameters = query();
    verb = isTrue(parameters.get('watch')) ? 'watch' : 'list';
    name = nameInFieldSelector(parameters.get('fieldSelector'));
  } else if (name === '' && verb === 'delete') verb = 'deletecollection';
  return new Info({
    isResource: true,
    verbInPath,
    verb,
    prefix,
    group,
    version,
    namespace,
    resource: parts[0] ?? '',
    subresource,
    name,
    parts,
  });
}

function nonResource(method: string, prefix: string): RequestInfo {
  const verb = method.toLowerCase();
  return new Info({
    isResource: false,
    verbInPath: false,
    verb,
    prefix,
    group: '',
    version: '',
    namespace: '',
    resource: '',
    subresource: '',
    name: '',
    parts: [],
  });
}

function splitPath(path: string): string[] {
  let start = 0;
  let end = path.length;
  while (start < end && path.charCodeAt(start) === 47) start++;
  while (end > start && path.charCodeAt(end - 1) === 47) end--;
  return start === end ? [] : path.slice(start, end).split('/');
}

/** Parses a boolean query parameter as Kubernetes does: present means true, unless it is false or 0. */
export function isTrue(value: string | null): boolean {
  if (value === null) return false;
  const lower = value.toLowerCase();
  return lower !== 'false' && lower !== '0';
}

/** A list with a field selector for metadata.name is authorized for that name. */
function nameInFieldSelector(selector: string | null): string {
  if (selector === null) return '';
  for (const term of selector.split(',')) {
    const [, name] = /^metadata\.name==?([^=!\\/%]+)$/.exec(term) ?? [];
    if (name !== undefined && name !== '.' && name !== '..') return name;
  }
  return '';
}

const longRunningSubresources = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Requests without a deadline: watches, proxies, exec and the like. */
export function isLongRunning({ isResource, verb, subresource }: RequestInfo): boolean {
  if (verb === 'watch' || verb === 'proxy') return true;
  return isResource && subresource !== '' && longRunningSubresources.has(subresource);
}

export function isReadOnly({ verb }: RequestInfo): boolean {
  return verb === 'get' || verb === 'list' || verb === 'head' || verb === 'watch';
}
