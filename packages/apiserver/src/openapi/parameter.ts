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

export const pretty = query('pretty', 'string', "With 'true', the answer is laid out for people to read.");
export const namespace = path('namespace', 'The namespace of the object.');
export const subpath = path('path', 'The path at the other end.');
export const nameOf = (kind: string): Parameter => path('name', `name of the ${kind}`);

const dryRun = query('dryRun', 'string', "With 'All', the request is handled to the end but nothing is stored.");
const fieldManager = query('fieldManager', 'string', 'Who makes this change: printable characters, at most 128 of them.');
const fieldValidation = query(
  'fieldValidation',
  'string',
  'What happens to fields that are unknown or appear twice: Ignore drops them, Warn (the default) drops them with a warning, Strict refuses the request.',
);
const force = query('force', 'boolean', 'Takes over fields that other managers own. For apply patches only.');

export const writing: readonly Parameter[] = [dryRun, fieldManager, fieldValidation];
export const patching: readonly Parameter[] = [...writing, force];

export const deleting: readonly Parameter[] = [
  dryRun,
  query(
    'gracePeriodSeconds',
    'integer',
    'How long the object may take to go, in seconds; 0 removes it at once. The kind has a default.',
  ),
  query(
    'ignoreStoreReadErrorWithClusterBreakingPotential',
    'boolean',
    'Removes an object that can no longer be read from the store, without looking at its finalizers or preconditions.',
  ),
  query('orphanDependents', 'boolean', 'Deprecated: use propagationPolicy. Whether the objects that this one owns are kept.'),
  query(
    'propagationPolicy',
    'string',
    "What becomes of the objects that this one owns: 'Orphan' keeps them, 'Background' removes them afterwards, 'Foreground' before.",
  ),
];

const resourceVersion = query('resourceVersion', 'string', 'The resource version at, from or since which to answer.');
export const getting: readonly Parameter[] = [resourceVersion];

const selecting: readonly Parameter[] = [
  query('continue', 'string', 'The token of the list before, to get its next page.'),
  query('fieldSelector', 'string', 'Only objects whose fields match.'),
  query('labelSelector', 'string', 'Only objects whose labels match.'),
  query('limit', 'integer', 'At most this many objects; the answer carries a token when there are more.'),
  resourceVersion,
  query('resourceVersionMatch', 'string', 'How resourceVersion is meant: Exact or NotOlderThan.'),
  query(
    'sendInitialEvents',
    'boolean',
    'A watch starts with the objects that exist, and a bookmark when all of them have been sent.',
  ),
  query('shardSelector', 'string', 'Only objects of a shard.'),
  query('timeoutSeconds', 'integer', 'Ends the request after this many seconds.'),
];

export const listing: readonly Parameter[] = [
  query('allowWatchBookmarks', 'boolean', 'A watch may also get bookmarks, which only tell how far it has come.'),
  ...selecting,
  query('watch', 'boolean', 'Answers with the changes as they happen, instead of a list.'),
];

export const deletingMany: readonly Parameter[] = [...deleting, ...selecting];
