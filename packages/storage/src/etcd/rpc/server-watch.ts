import type { MessageStream } from '../../grpc/calls.ts';
import { Compacted, Unavailable } from '../../store.ts';
import type { EtcdClient } from './client.ts';
import type { KeyRange } from './kv.ts';
import type { EtcdMember } from './members.ts';
import { type EtcdWatchEvent, type WatchResponse, watchMethod } from './watch.ts';

/** The user may not read all keys of the watch. */
export class WatchDenied extends Unavailable {}

/**
 * An etcd watcher on its own gRPC stream; all streams share one connection. Watchers do not share a stream because etcd reports
 * progress only if no watcher of the stream is behind, and because flow control of one slow reader would stop the others.
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

  /** The first response confirms the watcher. Throws Compacted, WatchDenied or another Unavailable. */
  async *responses(): AsyncGenerator<WatchResponse, void, undefined> {
    let held: EtcdWatchEvent[] = [];
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

/** A fragment may end within a revision; the next one continues it. */
function startOfLastRevision(events: readonly EtcdWatchEvent[]): number {
  const revision = events.at(-1)?.entry.revision;
  return events.findIndex(({ entry }) => entry.revision === revision);
}

function cancellation({ compacted, reason }: WatchResponse): Error {
  if (compacted > 0) return new Compacted(compacted + 1);
  const message = `etcd canceled the watch: ${reason}`;
  return reason.includes('permission denied') ? new WatchDenied(message) : new Unavailable(message);
}
