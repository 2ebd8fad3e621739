/** A path or query parameter. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly type: 'string' | 'integer' | 'boolean';
  readonly description: string;
}

const query = (name: string, type: Parameter['type'], description: string): Parameter => ({
  name,
  in: 'query',
  type,
  description,
});
const path = (name: string, description: string): Parameter => ({ name, in: 'path', type: 'string', description });

export const pretty = query('pretty', 'string', "If 'true', the response is pretty-printed.");
export const namespaceParameter = path('namespace', 'The namespace of the object.');
export const subpath = path('path', 'The path that is requested from the proxied server.');
export const nameOf = (kind: string): Parameter => path('name', `name of the ${kind}`);

const dryRun = query('dryRun', 'string', "If 'All', all stages of the request are processed, but nothing is stored.");
const fieldManager = query(
  'fieldManager',
  'string',
  'The name of the field manager that makes this change: at most 128 printable characters.',
);
const fieldValidation = query(
  'fieldValidation',
  'string',
  'Treatment of unknown and duplicate fields: Ignore drops them, Warn (the default) drops them with a warning, Strict rejects the request.',
);
const force = query('force', 'boolean', 'Takes over fields that other managers own. For apply patches only.');

export const writing: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];
export const patching: readonly Parameter[] = [...writing, force];

export const deleting: readonly Parameter[] = [
  dryRun,
  query(
    'gracePeriodSeconds',
    'integer',
    'The time in seconds before the object is removed; 0 removes it immediately. The default depends on the kind.',
  ),
  query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'Removes an object that cannot be read from the store. Its finalizers and preconditions are ignored.',
  ),
  query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy. Whether dependents are kept.'),
  query(
    'propagationPolicy',
    'string',
    "Treatment of dependents: 'Orphan' keeps them, 'Background' deletes them after the object, 'Foreground' before it.",
  ),
];

const resourceVersion = query(
  'resourceVersion',
  'string',
  'The resource version that a read refers to, or from which a watch starts.',
);
export const getting: readonly Parameter[] = [resourceVersion];

const selecting: readonly Parameter[] = [
  query('continue', 'string', 'The continue token of the previous page of a list.'),
  query('fieldSelector', 'string', 'Restricts the list to objects whose fields match.'),
  query('labelSelector', 'string', 'Restricts the list to objects whose labels match.'),
  query('limit', 'integer', 'The maximum number of objects in the response, which has a continue token if there are more.'),
  resourceVersion,
  query('resourceVersionMatch', 'string', 'How resourceVersion is applied to a list: Exact or NotOlderThan.'),
  query('sendInitialEvents', 'boolean', 'Whether a watch starts with events for all existing objects, followed by a bookmark.'),
  query('shardSelector', 'string', 'Restricts the list to the objects of a shard.'),
  query('timeoutSeconds', 'integer', 'Ends a list or watch after this many seconds.'),
];

export const listing: readonly Parameter[] = [
  query(
    'allowWatchBookmarks',
    'boolean',
    'Whether a watch may receive bookmarks, events that only carry the current resource version.',
  ),
  ...selecting,
  query('watch', 'boolean', 'Whether to watch for changes instead of returning a list.'),
];

export const deletingMany: readonly Parameter[] = [...deleting, ...selecting];
