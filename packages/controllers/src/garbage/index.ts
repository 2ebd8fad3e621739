import { setImmediate as nextTurn } from 'node:timers/promises';
import { WorkQueue } from '@tsukube/apiserver';
import type { Controller, ControllerContext } from '../controller.ts';
import { type CollectorParts, collect } from './collector.ts';
import { resourceDirectory } from './directory.ts';
import { Observer } from './observer.ts';
import { OwnerGraph } from './owner-graph.ts';

const concurrency = 64;
const pageSize = 500;
const retryMs = 1000;
/** So often it is asked whether kinds have come or gone. */
const resourcesMs = 1000;

/**
 * Deletes what belongs to objects that are gone. It follows the one stream of changes and keeps only who belongs to whom;
 * what was there before it started is read page by page, beside everything else, and nothing is decided until then.
 */
export function garbageCollector(context: ControllerContext): Controller {
  const graph = new OwnerGraph();
  const parked = new Set<string>();
  let scanned = Promise.resolve();
  let stopped = false;
  const queue = new WorkQueue((key) => scanned.then(() => collect(key, parts)), context.logger, concurrency);
  const observer = new Observer(graph, (key) => queue.add(key));
  const parts: CollectorParts = {
    context,
    graph,
    observer,
    directory: resourceDirectory(context),
    look: (key) => queue.add(key),
    park: (key) => parked.add(key),
  };

  /** What has been written since the reading began is newer than what is read. */
  let written: Set<string> | undefined;
  const scan = async (): Promise<void> => {
    written = new Set();
    let from: string | undefined;
    do {
      await nextTurn();
      const page = await context.store.list(context.storePrefix, { limit: pageSize, ...(from !== undefined && { from }) });
      for (const { key, value } of page.entries) {
        if (!written.has(key)) observer.onObject(key, Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      }
      from = page.more ? `${page.entries.at(-1)?.key}\0` : undefined;
    } while (from !== undefined && !stopped);
    written = undefined;
  };
  const scanUntilDone = async (): Promise<void> => {
    while (!stopped) {
      try {
        return await scan();
      } catch (error) {
        context.logger.warn('objects could not be read for garbage collection', { error: String(error) });
        await new Promise((resolve) => setTimeout(resolve, retryMs).unref());
      }
    }
  };

  const unlisten = context.feed.listen({
    prefix: context.storePrefix,
    onChanges(changes) {
      for (const change of changes) {
        written?.add(change.entry.key);
        observer.onChange(change);
      }
    },
    onGap() {
      scanned = scanUntilDone();
    },
  });
  scanned = scanUntilDone();
  let { resources } = context;
  const unpark = setInterval(() => {
    if (resources === context.resources) return;
    resources = context.resources;
    for (const key of parked) queue.add(key);
    parked.clear();
  }, resourcesMs).unref();

  return {
    stop() {
      stopped = true;
      clearInterval(unpark);
      unlisten();
      queue.stop();
    },
  };
}
