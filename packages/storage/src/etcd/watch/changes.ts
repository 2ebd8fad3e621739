import { type Batch, type Change, Compacted } from '../../store.ts';
import type { WatchEvent, WatchResponse } from '../wire/watch.ts';
import type { Position } from './progress.ts';

/** What a response brings that is new, if anything; moves the position. A resumed watcher repeats the last revision. */
export function advance(position: Position, prefix: string, { events, revision }: WatchResponse): Batch | undefined {
  const reached = events.at(-1)?.entry.revision ?? revision;
  if (reached <= position.revision) return undefined;
  const changes = events.filter(({ entry }) => entry.revision > position.revision && entry.key.startsWith(prefix)).map(changeOf);
  position.revision = reached;
  position.told = reached;
  return { changes, revision: reached };
}

/** etcd looks the previous value up when it sends the event: if compaction was faster, the watch has fallen behind. */
function changeOf(event: WatchEvent): Change {
  const { type, entry, previous } = event;
  if (type === 'put' && entry.created === entry.revision) return event;
  if (!previous) throw new Compacted(entry.revision + 1);
  return type === 'put' ? event : { type, entry: { ...previous, revision: entry.revision }, previous };
}
