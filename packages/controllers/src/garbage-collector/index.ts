import { setImmediate as nextTurn } from 'node:timers/promises';
import { WorkQueue } from '@tsukube/apiserver';
import { CorruptEntry } from '@tsukube/storage';
import type { ControllerContext, RunningController } from '../controller.ts';
import { type CollectorParts, collectObject } from './collector.ts';
import { GraphBuilder } from './graph-builder.ts';
import { OwnerGraph } from './owner-graph.ts';
import { type RegistryMapper, resourceMapper } from './owners.ts';

const concurrency = 64;
const pageSize = 500;
/** Backoff of failed scans, doubled with each failure. */
const [retryMs, maxRetryMs] = [1000, 60_000];
/** Poll interval for added and removed resources. */
const resourcesMs = 1000;

/**
 * The garbage collector. Follows the change feed of the store and keeps only the graph of owners and dependents. Existing
 * objects are listed in pages at startup; nothing is collected before that has finished.
 */
export function garbageCollector(context: ControllerContext): RunningController {
  const graph = new OwnerGraph();
  const parked = new Set<string>();
  let scanned = Promise.resolve();
  let stopped = false;
  const mapper = resourceMapper(context);
  const collect = (key: string) => scanned.then(() => collectObject(key, parts));
  const queues = new ResourceQueues(mapper, () => new WorkQueue(collect, context.logger, concurrency));
  const builder = new GraphBuilder(graph, (key) => queues.add(key));
  const parts: CollectorParts = {
    context,
    graph,
    builder,
    mapper,
    park: (key) => parked.add(key),
  };

  /** Keys written since the current scan began: the feed has newer state of them. Undefined between scans. */
  let written: Set<string> | undefined;
  const scan = async (since: ReadonlySet<string>, isCurrent: () => boolean): Promise<void> => {
    let from: string | undefined;
    do {
      await nextTurn();
      const options = { limit: pageSize, lazyValues: true, ...(from !== undefined && { from }) };
      const page = await context.store.list(context.storePrefix, options);
      if (!isCurrent()) return;
      for (const entry of page.entries) {
        // The owners of a damaged object are unknown: it is not collected.
        if (since.has(entry.key) || entry instanceof CorruptEntry) continue;
        const { key, value } = entry;
        builder.onObject(key, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      }
      from = page.more ? `${page.entries.at(-1)?.key}\0` : undefined;
    } while (from !== undefined);
  };
  /** Builds the graph from nothing, at the start and after each gap. A later rescan supersedes an earlier one. */
  const rescan = async (): Promise<void> => {
    const since = new Set<string>();
    const isCurrent = () => !stopped && written === since;
    written = since;
    builder.reset();
    for (let delay = retryMs; isCurrent(); delay = Math.min(2 * delay, maxRetryMs)) {
      try {
        await scan(since, isCurrent);
        break;
      } catch (error) {
        context.logger.warn('garbage collector: listing failed, will retry', { error: String(error) });
        await new Promise((resolve) => setTimeout(resolve, delay).unref());
      }
    }
    if (written !== since) return scanned;
    written = undefined;
  };

  const unlisten = context.feed.listen({
    prefix: context.storePrefix,
    onChanges(changes) {
      for (const change of changes) {
        written?.add(change.entry.key);
        builder.onChange(change);
      }
    },
    onGap() {
      scanned = rescan();
    },
  });
  scanned = rescan();
  let { resources } = context;
  const unpark = setInterval(() => {
    if (resources === context.resources) return;
    resources = context.resources;
    for (const key of parked) queues.add(key);
    parked.clear();
  }, resourcesMs).unref();

  return {
    stop() {
      stopped = true;
      clearInterval(unpark);
      unlisten();
      queues.stop();
    },
  };
}

/** A queue for each resource: one whose conversion webhook does not answer delays no other. */
class ResourceQueues {
  readonly #mapper: RegistryMapper;
  readonly #create: () => WorkQueue;
  readonly #queues = new Map<string, WorkQueue>();

  constructor(mapper: RegistryMapper, create: () => WorkQueue) {
    this.#mapper = mapper;
    this.#create = create;
  }

  add(key: string): void {
    const place = this.#mapper.prefixOf(key);
    const queue = this.#queues.get(place) ?? this.#create();
    this.#queues.set(place, queue);
    queue.add(key);
  }

  stop(): void {
    for (const queue of this.#queues.values()) queue.stop();
  }
}
