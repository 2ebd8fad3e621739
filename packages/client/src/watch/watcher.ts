import { ApiError, isExpired, isResourceVersionTooLarge } from '../rest/api-error.ts';
import type { ApiObject } from '../rest/api-object.ts';
import type { ResourceApi, Selectors } from '../rest/resource-api.ts';
import { type BackoffOptions, RetryBackoff } from '../timing/backoff.ts';
import { jitter } from '../timing/timing.ts';
import { WatchSilence, watchConnection } from './watch-connection.ts';

/** `init`, `initApply` for every object and `initDone` are a list, which replaces everything before it. Then changes follow. */
export type WatcherEvent<T> =
  | { readonly type: 'init' }
  | { readonly type: 'initApply'; readonly object: T }
  | { readonly type: 'initDone'; readonly resourceVersion: string }
  | { readonly type: 'apply'; readonly object: T }
  | { readonly type: 'delete'; readonly object: T }
  | { readonly type: 'bookmark'; readonly resourceVersion: string }
  /** The watcher retries after `retryMs`. */
  | { readonly type: 'error'; readonly error: unknown; readonly retryMs: number };

export interface WatcherOptions extends Selectors {
  readonly signal?: AbortSignal | undefined;
  /** `watch` (default): the list is streamed over the watch, where the server can do that. `list`: lists in pages. */
  readonly initial?: 'watch' | 'list';
  /** Objects in a page of a list. 500 by default. */
  readonly pageSize?: number;
  /** A watch without any byte for this long is replaced. Servers send bookmarks every minute; 75 seconds by default. */
  readonly silenceMs?: number;
  /** client-go's by default: 800 ms, doubled up to 30 s. */
  readonly backoff?: BackoffOptions;
}

/**
 * Follows a resource until the signal is aborted: resumes after lost connections, lists again when the server has
 * forgotten the resourceVersion. It never ends by itself, and never throws: failures are events.
 */
export async function* watcher<T extends ApiObject>(
  api: ResourceApi<T>,
  options: WatcherOptions = {},
): AsyncGenerator<WatcherEvent<T>, void, void> {
  for await (const events of watcherBatches(api, options)) for (const event of events) yield event;
}

/** Like `watcher`, with the events that arrive together in one array: awaiting each of 100,000 objects takes longer than parsing them. */
export function watcherBatches<T extends ApiObject>(
  api: ResourceApi<T>,
  options: WatcherOptions = {},
): AsyncGenerator<WatcherEvent<T>[], void, void> {
  return new Watching(api, options).run();
}

/** Consecutive refused watches after which the resource is listed again. */
const maxRefusals = 3;
/** A watch that ends earlier and without events is a failure. */
const minWatchMs = 1000;
const minTimeoutSeconds = 300;
const initialEventsEnd = 'k8s.io/initial-events-end';

/** `empty`: a list is needed. `listed`: all changes up to the resourceVersion are known. */
type Position = { readonly at: 'empty' } | { readonly at: 'listed'; readonly resourceVersion: string };

class Watching<T extends ApiObject> {
  readonly #api: ResourceApi<T>;
  readonly #options: WatcherOptions;
  readonly #backoff: RetryBackoff;
  #position: Position = { at: 'empty' };
  #streamsLists: boolean;
  #pageSize: number | undefined;
  #refusals = 0;

  constructor(api: ResourceApi<T>, options: WatcherOptions) {
    this.#api = api;
    this.#options = options;
    this.#backoff = new RetryBackoff(options.backoff ?? { initialMs: 800, maxMs: 30_000 }, api.client.timing);
    this.#streamsLists = options.initial !== 'list';
    this.#pageSize = options.pageSize ?? 500;
  }

  async *run(): AsyncGenerator<WatcherEvent<T>[], void, void> {
    const { signal } = this.#options;
    while (!signal?.aborted) {
      try {
        if (this.#position.at === 'listed') yield* this.#watch(this.#position.resourceVersion);
        else if (this.#streamsLists) yield* this.#watchFromStart();
        else yield* this.#list();
      } catch (error) {
        if (signal?.aborted) return;
        const retryMs = this.#recover(error);
        yield [{ type: 'error', error, retryMs }];
        await this.#api.client.timing.sleep(retryMs, signal).catch(() => {});
      }
    }
  }

  async *#list(): AsyncGenerator<WatcherEvent<T>[]> {
    const { signal, labelSelector, fieldSelector } = this.#options;
    const options = { signal, labelSelector, fieldSelector, limit: this.#pageSize };
    yield [{ type: 'init' }];
    let resourceVersion = '';
    for await (const page of this.#api.pages(options)) {
      yield page.items.map((object) => ({ type: 'initApply', object }));
      resourceVersion = page.metadata.resourceVersion ?? '';
    }
    yield [this.#listed(resourceVersion)];
  }

  /** A streaming list: all objects, a bookmark, and then the changes. */
  async *#watchFromStart(): AsyncGenerator<WatcherEvent<T>[]> {
    yield [{ type: 'init' }];
    const query = { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' as const };
    let isInitial = true;
    for await (const events of this.#connect(query)) {
      const batch: WatcherEvent<T>[] = [];
      for (const event of events) {
        if (!isInitial) batch.push(this.#changed(event));
        else if (event.type !== 'BOOKMARK') batch.push({ type: 'initApply', object: event.object });
        else if (event.object.metadata.annotations?.[initialEventsEnd] === 'true') {
          isInitial = false;
          batch.push(this.#listed(event.object.metadata.resourceVersion ?? ''));
        }
      }
      yield batch;
    }
    if (isInitial) throw new IncompleteList('the watch ended before the end of the initial list');
  }

  async *#watch(resourceVersion: string): AsyncGenerator<WatcherEvent<T>[]> {
    const { timing } = this.#api.client;
    const began = timing.monotonic();
    let count = 0;
    for await (const events of this.#connect({ resourceVersion })) {
      count += events.length;
      this.#succeed();
      yield events.map((event) => this.#changed(event));
    }
    if (count === 0 && timing.monotonic() - began < minWatchMs) throw new Error('the server ended the watch at once');
  }

  #connect(query: { readonly resourceVersion?: string; readonly sendInitialEvents?: boolean }) {
    const { timing } = this.#api.client;
    const { signal, labelSelector, fieldSelector, silenceMs = 75_000 } = this.#options;
    const timeoutSeconds = Math.floor(jitter(minTimeoutSeconds, 1, timing));
    const watch = { ...query, labelSelector, fieldSelector, allowWatchBookmarks: true, timeoutSeconds };
    return watchConnection(this.#api, watch, { silenceMs, signal });
  }

  #listed(resourceVersion: string): WatcherEvent<T> {
    this.#position = { at: 'listed', resourceVersion };
    this.#pageSize = this.#options.pageSize ?? 500;
    this.#succeed();
    return { type: 'initDone', resourceVersion };
  }

  #changed({ type, object }: { readonly type: string; readonly object: ApiObject }): WatcherEvent<T> {
    const { resourceVersion = '' } = object.metadata;
    this.#position = { at: 'listed', resourceVersion };
    if (type === 'BOOKMARK') return { type: 'bookmark', resourceVersion };
    return { type: type === 'DELETED' ? 'delete' : 'apply', object: object as T };
  }

  #succeed(): void {
    this.#backoff.reset();
    this.#refusals = 0;
  }

  /** Decides after a failure whether to resume or to list again. Returns the delay. */
  #recover(error: unknown): number {
    const isFirst = this.#backoff.failures === 0;
    const delay = this.#backoff.next();
    if (this.#position.at === 'empty') return this.#changesStrategy(error) ? 0 : delay;
    if (error instanceof ApiError) this.#refusals++;
    const isLost = isExpired(error) || isResourceVersionTooLarge(error);
    if (isLost || this.#refusals >= maxRefusals) this.#position = { at: 'empty' };
    return isLost && isFirst ? 0 : delay;
  }

  /** A server that cannot stream lists is asked for pages; one that forgets pages is asked for everything at once. */
  #changesStrategy(error: unknown): boolean {
    if (this.#streamsLists) {
      this.#streamsLists = !showsNoStreaming(error);
      return !this.#streamsLists;
    }
    if (!isExpired(error) || this.#pageSize === undefined) return false;
    this.#pageSize = undefined;
    return true;
  }
}

/** Statuses that say nothing about streaming lists. */
const unrelated = new Set([401, 403, 404, 410, 429, 503]);

/**
 * Servers without streaming lists refuse the parameter, fail with an internal error (kube-apiserver with an old etcd), or ignore it
 * and never send the bookmark at the end.
 */
function showsNoStreaming(error: unknown): boolean {
  if (error instanceof ApiError) return !unrelated.has(error.code);
  return error instanceof WatchSilence || error instanceof IncompleteList;
}

class IncompleteList extends Error {
  override readonly name = 'IncompleteList';
}
