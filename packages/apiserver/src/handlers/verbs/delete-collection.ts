import { StatusError } from '@tsukube/machinery';
import type { Answer } from '@tsukube/transport';
import { negotiateObjects } from '../../http/negotiation.ts';
import { deleteObject } from '../../registry/deletion.ts';
import { nameOfKey } from '../../registry/object-meta.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import type { CacheEntry } from '../../watchcache/entry.ts';
import { type DecodedDeleteOptions, deleteOptions, warnOfOrphans } from '../decoding/delete-options.ts';
import { listOptions, selectionOf } from '../decoding/list-options.ts';
import { writeContext } from '../decoding/write-options.ts';
import { answerList } from '../encoding/list-encoding.ts';
import { collect, listMetadata } from './list.ts';

/** Concurrent deletions: enough to share commits, few enough to leave room for other requests. */
const concurrency = 64;
/** The objects of a batch are parsed in one turn of the event loop. */
const concurrentBytes = 256 * 1024;

export async function deleteCollection(request: ResourceRequest): Promise<Answer> {
  const output = negotiateObjects(request);
  const selectors = listOptions(request, false);
  const selection = selectionOf(request);
  const options = await deleteOptions(request);
  warnOfOrphans(options, writeContext(request, options.dryRun, null));
  const listing = await collect(request, selectors, selection);
  for (const batch of batches(listing.entries)) await Promise.all(batch.map((entry) => deleteEntry(request, entry, options)));
  return answerList(request, listing.entries, listMetadata(listing, request, output), output);
}

function* batches(entries: readonly CacheEntry[]): Iterable<readonly CacheEntry[]> {
  for (let from = 0; from < entries.length; ) {
    let [to, bytes] = [from, 0];
    while (to < entries.length && to - from < concurrency && bytes < concurrentBytes)
      bytes += (entries[to++] as CacheEntry).value.length;
    yield entries.slice(from, to);
    from = to;
  }
}

async function deleteEntry(request: ResourceRequest, entry: CacheEntry, options: DecodedDeleteOptions): Promise<void> {
  const { namespace, name } = nameOfKey(request.resource, entry.key);
  const context = { ...writeContext(request, options.dryRun, null), namespace, options: () => options.sent };
  try {
    await deleteObject(request.objects, name, options, context);
  } catch (error) {
    if (!(error instanceof StatusError && error.code === 404)) throw error;
  }
}
