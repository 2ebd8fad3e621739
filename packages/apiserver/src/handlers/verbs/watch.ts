import { StatusError } from '@tsukube/machinery';
import { Compacted, CorruptValue, UnreadableValue } from '@tsukube/storage';
import type { Answer, Sink } from '@tsukube/transport';
import { negotiateObjects, protobuf } from '../../http/negotiation.ts';
import { corruptObject } from '../../registry/corrupt-objects.ts';
import type { ResourceRequest } from '../../registry/resource-request.ts';
import { atLeast, parseResourceVersion, uninitialized } from '../../registry/resource-version.ts';
import { type DecodedListOptions, listOptions, selectionOf } from '../decoding/list-options.ts';
import { type WatchFormat, watchFormat } from '../watch/event-encoding.ts';
import { Watcher, type WatchStart } from '../watch/watcher.ts';

export function watch(request: ResourceRequest): Answer | Promise<Answer> {
  const output = negotiateObjects(request, true);
  const options = listOptions(request, true);
  const selection = selectionOf(request);
  const version = parseResourceVersion(options.resourceVersion);
  const format = watchFormat(request, output, selection);
  const answer: Answer = {
    kind: 'stream',
    status: 200,
    type: output.mediaType === protobuf ? `${protobuf};stream=watch` : output.mediaType,
    start: (sink) => void begin(request, options, version, format, sink),
  };
  return answer;
}

async function begin(
  request: ResourceRequest,
  options: DecodedListOptions,
  version: number | undefined,
  format: WatchFormat,
  sink: Sink,
): Promise<void> {
  const { cache } = request.objects;
  const watcher = new Watcher(cache, format, sink, {
    bookmarks: options.allowBookmarks,
    timeoutMs: timeoutOf(options, request) * 1000,
    shutdown: request.shutdown,
    onCaughtUp: request.onCaughtUp,
    random: request.objects.random,
  });
  try {
    await ready(request, options, version);
    await watcher.run(startOf(options, version, cache.current));
  } catch (error) {
    watcher.fail(asStatus(error, version));
  }
}

function startOf(options: DecodedListOptions, version: number | undefined, current: number): WatchStart {
  if (options.sendInitialEvents === true) return { from: 'state' };
  if (options.sendInitialEvents === false) return { from: 'revision', revision: version || current };
  return version ? { from: 'revision', revision: version } : { from: 'state' };
}

/** Waits until the watch may start: newest state without a version, any state with 0; a streaming list waits for its version. */
async function ready(request: ResourceRequest, options: DecodedListOptions, version: number | undefined): Promise<void> {
  const { cache } = request.objects;
  if (version === undefined) await cache.fresh();
  else if (version > 0 && options.sendInitialEvents) await atLeast(cache, version);
  else await cache.loaded();
}

function timeoutOf(options: DecodedListOptions, request: ResourceRequest): number {
  if (options.timeoutSeconds) return Math.max(0, options.timeoutSeconds);
  return request.minWatchSeconds * (1 + request.objects.random());
}

function asStatus(error: unknown, version: number | undefined): StatusError {
  if (error instanceof StatusError) return error;
  if (error instanceof Compacted)
    return StatusError.resourceExpired(`too old resource version: ${version ?? 0} (${error.oldest - 1})`);
  if (error instanceof UnreadableValue) return uninitialized(error);
  if (error instanceof CorruptValue) return corruptObject(error);
  return StatusError.internalError('the watch failed', { cause: error });
}
