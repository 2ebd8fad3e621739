import { type JsonValue, StatusError } from '@tsukube/machinery';
import { Compacted, eachInSlices, FutureRevision, UnreadableValue } from '@tsukube/storage';
import type { Answer } from '@tsukube/transport';
import { negotiateObjects, type Output } from '../../http/negotiation.ts';
import { checkReadable } from '../../registry/corrupt-objects.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { atLeast, notInitialized, versionProblem } from '../../registry/resource-version.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import { type Continuation, decodeContinue, encodeContinue, renewContinue } from '../decoding/continue-token.ts';
import { type DecodedListOptions, listOptions, type Selection, selectionOf } from '../decoding/list-options.ts';
import { answerList } from '../encoding/list-encoding.ts';

/** The state of the collection to list, by resourceVersion and resourceVersionMatch. */
type Snapshot =
  | { readonly at: 'newest' }
  | { readonly at: 'any' }
  | { readonly at: 'not-older'; readonly revision: number }
  | { readonly at: 'exact'; readonly revision: number };

export interface Listing {
  readonly entries: readonly CacheEntry[];
  readonly revision: number;
  readonly continue?: string;
  readonly remaining?: number;
}

export function list(request: ResourceRequest): Answer | Promise<Answer> {
  const output = negotiateObjects(request);
  const options = listOptions(request, false);
  const selection = selectionOf(request);
  const listing = collect(request, options, selection);
  const answer = (found: Listing) => {
    checkReadable(request.objects, found.entries);
    return answerList(request, found.entries, listMetadata(found, request, output), output);
  };
  return listing instanceof Promise ? listing.then(answer) : answer(listing);
}

/** Lists of custom objects have `continue` even if empty, as in kube-apiserver. */
export function listMetadata(listing: Listing, { version, objects }: ResourceRequest, { as }: Output): Record<string, JsonValue> {
  const untyped = as === 'object' && version.schema.form !== undefined;
  // Objects that are computed may have no versions.
  const isUnversioned = objects.cache.isUncached && listing.revision === 0;
  const metadata: Record<string, JsonValue> = isUnversioned ? {} : { resourceVersion: String(listing.revision) };
  if (listing.continue || untyped) metadata.continue = listing.continue ?? '';
  if (listing.remaining) metadata.remainingItemCount = listing.remaining;
  return metadata;
}

/** Reads the requested page of the requested state. */
export function collect(request: ResourceRequest, options: DecodedListOptions, selection: Selection): Listing | Promise<Listing> {
  const { cache } = request.objects;
  const prefix = request.objects.prefix(request.info.namespace);
  const continuation = options.continue === '' ? undefined : decodeContinue(options.continue, prefix);
  const snapshot = snapshotOf(options, continuation);
  const limit = snapshot.at === 'any' || options.limit <= 0 ? Number.POSITIVE_INFINITY : options.limit;
  const scope = { prefix, from: continuation?.from ?? '', limit, selection };
  if (cache.isUncached) return collectFromStore(request, { ...scope, limit: options.limit || Number.POSITIVE_INFINITY });
  if (snapshot.at === 'exact') return collectAt(request, snapshot.revision, scope, continuation);
  const waiting = readiness(request, snapshot);
  const fromMemory = () =>
    cut(present(request, scope), cache.current, scope, limit === Number.POSITIVE_INFINITY ? 0 : cache.count(prefix, scope.from));
  if (!waiting) return fromMemory();
  return waiting.then(
    (fresh) => (fresh === false ? collectFromStore(request, scope) : fromMemory()),
    (error) =>
      error instanceof UnreadableValue && snapshot.at === 'newest' ? collectFromStore(request, scope) : notInitialized(error),
  );
}

interface Scope {
  readonly prefix: string;
  readonly from: string;
  readonly limit: number;
  readonly selection: Selection;
}

function snapshotOf(options: DecodedListOptions, continuation: Continuation | undefined): Snapshot {
  if (continuation) {
    if (options.resourceVersion !== '' && options.resourceVersion !== '0') {
      throw StatusError.badRequest('specifying resource version is not allowed when using continue');
    }
    return continuation.revision < 0 ? { at: 'newest' } : { at: 'exact', revision: continuation.revision };
  }
  if (options.resourceVersion === '') return { at: 'newest' };
  const revision = revisionOf(options.resourceVersion);
  if (revision === 0) return { at: 'any' };
  const exact = options.match === 'Exact' || (options.match === '' && options.limit > 0);
  return { at: exact ? 'exact' : 'not-older', revision };
}

function revisionOf(text: string): number {
  const problem = versionProblem(text);
  if (problem !== undefined) throw StatusError.badRequest(`invalid resource version: ${problem}`);
  return Number(text);
}

function readiness(request: ResourceRequest, snapshot: Snapshot): Promise<unknown> | undefined {
  const { cache } = request.objects;
  if (snapshot.at === 'any') return cache.loaded();
  if (snapshot.at === 'not-older')
    return cache.loaded() || cache.current < snapshot.revision ? atLeast(cache, snapshot.revision) : undefined;
  return cache.fresh();
}

/** The entries of a page and one more, which shows whether others follow; all entries if there is a selector. */
function present(request: ResourceRequest, { prefix, from, limit, selection }: Scope): readonly CacheEntry[] {
  const { cache } = request.objects;
  if (selection.name !== undefined && (request.info.namespace !== '' || request.resource.scope === 'Cluster')) {
    const entry = cache.peek(`${prefix}${selection.name}`);
    return entry ? [entry] : [];
  }
  return cache.slice(prefix, from, selection.matches ? Number.POSITIVE_INFINITY : limit + 1);
}

async function collectAt(
  request: ResourceRequest,
  revision: number,
  scope: Scope,
  continuation: Continuation | undefined,
): Promise<Listing> {
  const { cache } = request.objects;
  try {
    const isReadable = await cache.fresh()?.then(() => true, isReadableAfter);
    if (isReadable !== false && revision > cache.current) await atLeast(cache, revision);
    const held = isReadable === false ? undefined : cache.past(scope.prefix, scope.from, revision);
    const past = held ?? (await cache.list(scope.prefix, { from: scope.from, revision })).entries;
    return await cut(past, revision, scope, past.length);
  } catch (error) {
    if (error instanceof FutureRevision) throw StatusError.tooLargeResourceVersion(revision, error.current);
    if (error instanceof Compacted) throw expired(continuation, scope.prefix);
    throw error;
  }
}

function isReadableAfter(error: unknown): false {
  if (error instanceof UnreadableValue) return false;
  throw error;
}

async function collectFromStore(request: ResourceRequest, scope: Scope): Promise<Listing> {
  const page = await request.objects.cache.list(scope.prefix, { from: scope.from });
  return cut(page.entries, page.revision, scope, page.entries.length);
}

/** The revision of continue tokens for the newest state. */
const newest = -1;

/** Cuts a page from the entries. `total` counts all entries. Selects among many in time slices. */
function cut(entries: readonly CacheEntry[], revision: number, scope: Scope, total: number): Listing | Promise<Listing> {
  const { selection, limit, prefix } = scope;
  const { matches } = selection;
  if (!matches) {
    if (entries.length <= limit) return { entries, revision };
    const page = entries.slice(0, limit);
    const next = encodeContinue((page.at(-1) as CacheEntry).key, prefix, revision || newest);
    return { entries: page, revision, continue: next, remaining: total - limit };
  }
  const selected: CacheEntry[] = [];
  const selecting = eachInSlices(entries, (entry) => !matches(entry) || selected.push(entry) < limit);
  const listing = () => listingOf(selected, entries, revision, scope);
  return selecting ? selecting.then(listing) : listing();
}

/** A full page has a continue token if any entry follows its last one, selected or not. */
function listingOf(
  selected: readonly CacheEntry[],
  entries: readonly CacheEntry[],
  revision: number,
  { limit, prefix }: Scope,
): Listing {
  if (selected.length < limit) return { entries: selected, revision };
  const page = selected.slice(0, limit);
  const last = page.at(-1) as CacheEntry;
  return {
    entries: page,
    revision,
    continue: last === entries.at(-1) ? undefined : encodeContinue(last.key, prefix, revision || newest),
  };
}

const expiredMessage = 'The resourceVersion for the provided list is too old.';
const expiredContinueMessage =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

/** The snapshot was compacted. A client that was paging gets a token for the rest of the newest state. */
function expired(continuation: Continuation | undefined, prefix: string): StatusError {
  if (!continuation) return StatusError.resourceExpired(expiredMessage);
  const { status } = StatusError.resourceExpired(expiredContinueMessage);
  return new StatusError({ ...status, metadata: { continue: renewContinue(continuation, prefix) } });
}
