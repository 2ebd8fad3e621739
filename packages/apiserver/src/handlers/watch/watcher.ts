import type { StatusError } from '@tsukube/machinery';
import { TimeSlice } from '@tsukube/storage';
import type { Sink } from '@tsukube/transport';
import type { ShutdownNotice } from '../../registry/resource-request.ts';
import type { CacheEntry, CacheEvent } from '../../watchcache/entry.ts';
import type { ObjectCache } from '../../watchcache/object-cache.ts';
import { subject, type WatchFormat } from './event-encoding.ts';
import { type Channel, channelOf } from './watch-channel.ts';

export interface WatchServerOptions {
  readonly bookmarks: boolean;
  readonly timeoutMs: number;
  /** Watches end cleanly when the server shuts down. */
  readonly shutdown: ShutdownNotice;
  /** Called when the watch has sent all past events; may be called more than once. */
  readonly onCaughtUp?: () => void;
  /** From 0 to 1, for the jitter of bookmarks. */
  readonly random: () => number;
}

/** Above this many unsent bytes the watch leaves its channel until the client has read them. */
const maxBufferedBytes = 1 << 20;
/** Frames are encoded and written in pieces of this size, as the client reads. */
const maxWriteBytes = 1 << 20;
/** A client that reads nothing for this long is dropped. */
const maxStallMs = 30_000;
/** The time for the client to read the end of the stream. */
const maxEndMs = 5_000;
const bookmarkIntervalMs = 60_000;
const lastBookmarkMs = 2_000;

/**
 * One watch. It pulls past events from the cache or the store and then joins the channel of current events. A slow client makes it
 * leave the channel and pull again from its position, so that no events are queued for it.
 */
export class Watcher {
  readonly #cache: ObjectCache;
  readonly #format: WatchFormat;
  readonly #sink: Sink;
  readonly #options: WatchServerOptions;
  readonly #abort = new AbortController();
  #timers: NodeJS.Timeout[] = [];
  readonly #forgetShutdown: () => void;
  #position = 0;
  #first = true;

  constructor(cache: ObjectCache, format: WatchFormat, sink: Sink, options: WatchServerOptions) {
    this.#cache = cache;
    this.#format = format;
    this.#sink = sink;
    this.#options = options;
    sink.onClose(() => this.#close());
    this.#forgetShutdown = options.shutdown.onBegin(this.#end);
    this.#timers.push(setTimeout(this.#end, Math.min(options.timeoutMs, 2 ** 31 - 1)));
    if (options.bookmarks) this.#startBookmarks();
  }

  async run(start: WatchStart): Promise<void> {
    if (start.from === 'state') {
      await this.#sendState();
      this.#options.onCaughtUp?.();
    } else this.#position = start.revision;
    while (!this.#closed) await this.#advance();
  }

  /** Sends an ERROR event and ends the watch. */
  fail(error: StatusError): void {
    if (this.#closed) return;
    const frame = this.#format.error(error);
    this.#sink.write([frame], frame);
    this.#end();
  }

  get #closed(): boolean {
    return this.#abort.signal.aborted;
  }

  #end = (): void => {
    if (this.#closed) return;
    this.#close();
    this.#sink.end();
    const timer = setTimeout(() => this.#sink.abort(), maxEndMs);
    this.#sink.onClose(() => clearTimeout(timer));
  };

  #close(): void {
    for (const timer of this.#timers.splice(0)) clearTimeout(timer);
    this.#forgetShutdown?.();
    this.#abort.abort();
  }

  async #sendState(): Promise<void> {
    this.#position = this.#cache.current;
    await this.#send(this.#stateFrames(this.#cache.slice(this.#format.prefix)));
    if (this.#options.bookmarks) await this.#send([this.#bookmarkFrame(this.#position, true)]);
  }

  *#stateFrames(entries: readonly CacheEntry[]): Generator<Buffer | Promise<void>> {
    for (const entry of entries) {
      if (!this.#format.selects(entry)) continue;
      if (this.#format.isHeavy(entry)) yield this.#format.prepare(entry);
      yield this.#entryFrame(entry);
    }
  }

  #entryFrame(entry: CacheEntry): Buffer {
    const frame = this.#format.entryFrame('ADDED', entry, this.#first);
    this.#first = false;
    return frame;
  }

  /** Takes one step from the watch's position towards the present. */
  async #advance(): Promise<void> {
    await this.#cache.loaded();
    if (this.#closed) return;
    const held = this.#cache.eventsAfter(this.#position);
    if (!held) await this.#replay();
    else if (held.length > 0) await this.#sendHeld(held);
    else await this.#followPresent();
  }

  async #sendHeld(events: readonly CacheEvent[]): Promise<void> {
    await this.#send(this.#frames(events));
    this.#position = (events.at(-1) as CacheEvent).entry.revision;
  }

  async #replay(): Promise<void> {
    for await (const { events, revision } of this.#cache.replay(this.#format.prefix, this.#position + 1, this.#abort.signal)) {
      await this.#send(this.#frames(events));
      this.#position = Math.max(this.#position, revision);
      if (this.#closed || this.#cache.eventsAfter(this.#position)) return;
    }
  }

  /** Follows current events. Resolves when the client is too slow, after a gap, or when the watch is closed. */
  async #followPresent(): Promise<void> {
    this.#options.onCaughtUp?.();
    const channel: Channel = channelOf(this.#cache, this.#format);
    // A watch may start from a future resourceVersion.
    const isAhead = this.#position > this.#cache.current;
    await new Promise<void>((resolve) => {
      const { signal } = this.#abort;
      const leave = () => {
        channel.leave(member);
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const member = {
        isFirst: () => this.#first,
        deliver: (frames: readonly Buffer[], joined: Buffer, revision: number) => {
          if (isAhead) return revision > this.#position ? leave() : undefined;
          this.#position = revision;
          if (frames.length === 0) return;
          this.#first = false;
          this.#sink.write(frames, joined);
          if (this.#sink.buffered > maxBufferedBytes) leave();
        },
        gap: leave,
      };
      channel.join(member);
      signal.addEventListener('abort', leave);
    });
    if (!this.#closed) await this.#drained();
  }

  *#frames(events: readonly CacheEvent[]): Generator<Buffer | Promise<void>> {
    for (const event of events) {
      const { entry } = event;
      if (entry.key.startsWith(this.#format.prefix) && this.#format.isHeavy(entry)) yield this.#format.prepare(entry);
      const frame = this.#first ? this.#firstFrame(event) : this.#format.frame(event);
      if (frame) yield frame;
    }
  }

  #firstFrame(event: CacheEvent): Buffer | undefined {
    const type = event.entry.key.startsWith(this.#format.prefix) ? this.#format.typeOf(event) : undefined;
    if (!type) return undefined;
    this.#first = false;
    return this.#format.entryFrame(type, subject(event, type), true);
  }

  /**
   * Encodes frames only as fast as the client reads them, and in time slices. A promise among the frames is awaited: a worker
   * prepares the next frame.
   */
  async #send(frames: Iterable<Buffer | Promise<void>>): Promise<void> {
    const slice = new TimeSlice();
    let piece: Buffer[] = [];
    let bytes = 0;
    for (const frame of frames) {
      if (frame instanceof Promise) {
        await frame;
        slice.begin();
      } else {
        piece.push(frame);
        bytes += frame.length;
        if (bytes < maxWriteBytes && !slice.over) continue;
        await this.#write(piece);
        if (slice.over) await slice.rest();
        piece = [];
        bytes = 0;
      }
      if (this.#closed) return;
    }
    await this.#write(piece);
  }

  async #write(frames: readonly Buffer[]): Promise<void> {
    if (frames.length === 0 || this.#closed) return;
    this.#sink.write(frames, frames.length === 1 ? (frames[0] as Buffer) : Buffer.concat(frames));
    if (this.#sink.buffered > maxBufferedBytes) await this.#drained();
  }

  #drained(): Promise<void> {
    const { signal } = this.#abort;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#close();
        this.#sink.abort();
      }, maxStallMs);
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      signal.addEventListener('abort', done);
      this.#sink.onDrain(done);
    });
  }

  /** Every minute, with jitter, and shortly before the timeout, so that the next watch resumes there. */
  #startBookmarks(): void {
    const last = this.#options.timeoutMs - lastBookmarkMs;
    if (last > 0 && last < 2 ** 31) this.#timers.push(setTimeout(() => this.#bookmark(), last));
    const first = setTimeout(
      () => {
        this.#bookmark();
        this.#timers.push(setInterval(() => this.#bookmark(), bookmarkIntervalMs));
      },
      bookmarkIntervalMs * (0.75 + this.#options.random() / 4),
    );
    this.#timers.push(first);
  }

  /** Sends a bookmark if the watch is up to date. */
  #bookmark(): void {
    const behind = this.#cache.eventsAfter(this.#position);
    if (this.#closed || !behind || behind.length > 0) return;
    const frame = this.#bookmarkFrame(Math.max(this.#position, this.#cache.current), false);
    this.#sink.write([frame], frame);
  }

  #bookmarkFrame(revision: number, endOfInitialEvents: boolean): Buffer {
    const frame = this.#format.bookmark(revision, endOfInitialEvents, this.#first);
    this.#first = false;
    return frame;
  }
}

/** Where a watch starts: with the current state, or after a revision. */
export type WatchStart = { readonly from: 'state' } | { readonly from: 'revision'; readonly revision: number };
