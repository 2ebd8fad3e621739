import type { CacheEvent } from '../../watchcache/entry.ts';
import type { ObjectCache } from '../../watchcache/object-cache.ts';
import { subject, type WatchFormat } from './event-encoding.ts';

export interface ChannelMember {
  /** Whether the watch has not sent a frame yet. */
  isFirst(): boolean;
  deliver(frames: readonly Buffer[], joined: Buffer, revision: number): void;
  gap(): void;
}

export interface Channel {
  join(member: ChannelMember): void;
  leave(member: ChannelMember): void;
}

/** Channels of each cache by format. A channel without members is removed. */
const channels = new WeakMap<ObjectCache, Map<string, SharedChannel>>();

/** The channel of all watches that get the same bytes: a batch of events is selected and encoded once for all of them. */
export function channelOf(cache: ObjectCache, format: WatchFormat): Channel {
  let ofCache = channels.get(cache);
  if (!ofCache) {
    ofCache = new Map();
    channels.set(cache, ofCache);
  }
  let channel = ofCache.get(format.id);
  if (!channel) {
    channel = new SharedChannel(cache, format, () => ofCache.delete(format.id));
    ofCache.set(format.id, channel);
  }
  return channel;
}

class SharedChannel implements Channel {
  readonly #format: WatchFormat;
  readonly #members = new Set<ChannelMember>();
  readonly #unfollow: () => void;
  readonly #onEmpty: () => void;

  constructor(cache: ObjectCache, format: WatchFormat, onEmpty: () => void) {
    this.#format = format;
    this.#onEmpty = onEmpty;
    this.#unfollow = cache.follow({ onEvents: (events) => this.#onEvents(events), onGap: () => this.#onGap() });
  }

  join(member: ChannelMember): void {
    this.#members.add(member);
  }

  leave(member: ChannelMember): void {
    if (!this.#members.delete(member) || this.#members.size > 0) return;
    this.#unfollow();
    this.#onEmpty();
  }

  #onEvents(events: readonly CacheEvent[]): void {
    // Each watch then pulls the events and waits for a worker to prepare them.
    if (events.some((event) => this.#isHeavy(event))) this.#onGap();
    else this.#deliver(events);
  }

  #isHeavy({ entry }: CacheEvent): boolean {
    return entry.key.startsWith(this.#format.prefix) && this.#format.isHeavy(entry);
  }

  #deliver(events: readonly CacheEvent[]): void {
    const frames = this.#framesOf(events, false);
    const joined = join(frames);
    const { revision } = (events.at(-1) as CacheEvent).entry;
    for (const member of this.#members) {
      if (!this.#format.firstDiffers || frames.length === 0 || !member.isFirst()) member.deliver(frames, joined, revision);
      else {
        const own = this.#framesOf(events, true);
        member.deliver(own, join(own), revision);
      }
    }
  }

  #framesOf(events: readonly CacheEvent[], columns: boolean): Buffer[] {
    const frames: Buffer[] = [];
    for (const event of events) {
      const frame = columns && frames.length === 0 ? this.#withColumns(event) : this.#format.frame(event);
      if (frame) frames.push(frame);
    }
    return frames;
  }

  #withColumns(event: CacheEvent): Buffer | undefined {
    const type = event.entry.key.startsWith(this.#format.prefix) ? this.#format.typeOf(event) : undefined;
    return type && this.#format.entryFrame(type, subject(event, type), true);
  }

  #onGap(): void {
    for (const member of [...this.#members]) member.gap();
  }
}

const nothing = Buffer.alloc(0);

function join(frames: readonly Buffer[]): Buffer {
  if (frames.length === 0) return nothing;
  return frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames);
}
