/** A resource by its group, version and plural name. */
export interface ResourceName {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
}

export interface ResourceScope {
  /** Absent for cluster-scoped resources, and for lists and watches in all namespaces. */
  readonly namespace?: string | undefined;
}

/** Parses `v1/pods` and `apps/v1/deployments`. Throws TypeError. */
export function parseResourceName(name: string | ResourceName): ResourceName {
  if (typeof name !== 'string') return name;
  const parts = name.split('/');
  if (parts.some((part) => part === '') || parts.length < 2 || parts.length > 3)
    throw new TypeError(`"${name}" is not the name of a resource: use VERSION/PLURAL or GROUP/VERSION/PLURAL`);
  const [plural = '', version = '', group = ''] = parts.reverse();
  return { group, version, plural };
}

export function resourceNameText({ group, version, plural }: ResourceName): string {
  return group === '' ? `${version}/${plural}` : `${group}/${version}/${plural}`;
}

/** The path of all objects, or of those in a namespace. */
export function collectionPath({ group, version, plural }: ResourceName, { namespace }: ResourceScope): string {
  const root = group === '' ? `/api/${segment(version)}` : `/apis/${segment(group)}/${segment(version)}`;
  const within = namespace === undefined ? '' : `/namespaces/${segment(namespace)}`;
  return `${root}${within}/${segment(plural)}`;
}

/** Throws TypeError for an empty name: the path would be that of the collection. */
export function segment(text: string): string {
  if (text === '' || text === '.' || text === '..') throw new TypeError(`"${text}" is not a name`);
  return encodeURIComponent(text);
}

export type QueryValue = string | number | boolean | readonly string[] | undefined;

/** Path with a query, without undefined values. */
export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const pairs = Object.entries(query).flatMap(([key, value]) => {
    if (value === undefined) return [];
    const values = Array.isArray(value) ? (value as readonly string[]) : [String(value)];
    return values.map((each) => `${encodeURIComponent(key)}=${encodeURIComponent(each)}`);
  });
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`;
}
