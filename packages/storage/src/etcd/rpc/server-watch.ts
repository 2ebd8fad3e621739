import type { MessageStream } from '../../grpc/calls.ts';
import { Compacted, Unavailable } from '../../store.ts';
import type { EtcdClient } from './client.ts';
import type { KeyRange } from './kv.ts';
import type { EtcdMember } from './members.ts';
import { type WatchEvent, type WatchResponse, watchMethod } from './watch.ts';

/** The watcher asked for covers keys that the user may not read. */
export class WatchDenied extends Unavailable {}

/**
 * A watcher of etcd with a gRPC stream of its own; all streams share one connection. Streams are not shared because
 * etcd reports progress for a stream only when none of its watchers lags, and because a reader that stops reading
 * stops its stream.
 */
export class ServerWatch {
  readonly #stream: MessageStream;
  readonly #timer: NodeJS.Timeout;

  private constructor(stream: MessageStream, timeoutMs: number) {
    this.#stream = stream;
    this.#timer = setTimeout(() => stream.cancel(), timeoutMs);
  }

  static async open(client: EtcdClient, member: EtcdMember, range: KeyRange, start: number): Promise<ServerWatch> {
    const stream = member.stream(watchMethod.path, await client.metadata());
    stream.send(watchMethod.encode({ type: 'create', range, start }));
    return new ServerWatch(stream, client.timeoutMs);
  }

  requestProgress(): void {
    this.#stream.send(watchMethod.encode({ type: 'progress' }));
  }

  cancel(): void {
    clearTimeout(this.#timer);
    this.#stream.cancel();
  }

  /** The first response says that the watcher exists. Fails with Compacted, WatchDenied or another Unavailable. */
  async *responses(): AsyncGenerator<WatchResponse, void, undefined> {
    let held: WatchEvent[] = [];
    try {
      for await (const message of this.#stream.messages()) {
        const response = watchMethod.decode(message);
        if (response.canceled) throw cancellation(response);
        clearTimeout(this.#timer);
        const events = held.length > 0 ? [...held, ...response.events] : response.events;
        held = response.fragment ? events.splice(startOfLastRevision(events)) : [];
        if (events.length > 0 || !response.fragment) yield { ...response, events };
      }
    } finally {
      this.cancel();
    }
  }
}

/** A fragment may end in the middle of a revision; the next one goes on with it. */
function startOfLastRevision(events: readonly WatchEvent[]): number {
  const revision = events.at(-1)?.entry.revision;
  return events.findIndex(({ entry }) => entry.revision === revision);
}

function cancellation({ compacted, reason }: WatchResponse): Error {
  if (compacted > 0) return new Compacted(compacted + 1);
  const message = `etcd canceled the watch: ${reason}`;
  return reason.includes('permission denied') ? new WatchDenied(message) : new Unavailable(message);
}
