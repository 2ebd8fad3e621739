import { hostname } from 'node:os';
import type { coreV1, eventsV1 } from '@tsukube/api/kinds';
import { BoundedCache, formatMicroTime } from '@tsukube/machinery';
import { isNotFound } from '../rest/api-error.ts';
import type { ApiObject } from '../rest/api-object.ts';
import type { KubeClient } from '../rest/kube-client.ts';
import { RateLimiter } from '../timing/rate-limiter.ts';

export interface RecordedEvent {
  readonly type: 'Normal' | 'Warning';
  /** Why, in UpperCamelCase: `Scaled`. */
  readonly reason: string;
  /** Done or failed, in UpperCamelCase: `ScaleUp`. */
  readonly action: string;
  /** For people. Cut to 1 kB. */
  readonly note: string;
  readonly related?: ApiObject;
}

export interface EventRecorderOptions {
  /** Name of the controller: `example.com/foo-controller`. */
  readonly controller: string;
  /** By default the hostname. */
  readonly instance?: string;
  /** Events that could not be written. By default they are not reported. */
  readonly onError?: (error: unknown) => void;
}

const maxQueue = 1000;
const maxNoteBytes = 1024;
/** The name of the event must be a valid one, too. */
const maxNamePart = 230;
/** Repeated events within this time are one event with a series. */
const seriesMs = 6 * 60_000;
/** A series is written this often at most. */
const refreshMs = 60_000;
/** client-go's limit for the events of an object. */
const spamLimit = { qps: 1 / 300, burst: 25 };

interface KnownEvent {
  event: eventsV1.Event;
  count: number;
  seenAt: number;
  writtenAt: number;
}

/** Writes events.k8s.io/v1 Events in the background. Repeated ones become a series; too many about one object are dropped. */
export class EventRecorder {
  readonly #client: KubeClient;
  readonly #options: Required<Pick<EventRecorderOptions, 'controller' | 'instance'>> & EventRecorderOptions;
  readonly #known = new BoundedCache<string, KnownEvent>({ entries: 4096 });
  readonly #limiters = new BoundedCache<string, RateLimiter>({ entries: 4096 });
  readonly #queue: (() => Promise<void>)[] = [];
  #writing: Promise<void> | undefined;
  #sequence = 0;

  constructor(client: KubeClient, options: EventRecorderOptions) {
    this.#client = client;
    this.#options = { instance: hostname(), ...options };
  }

  /** Never throws, and does not wait. */
  record(regarding: ApiObject, event: RecordedEvent): void {
    const now = this.#client.timing.now();
    const { namespace, name, uid } = regarding.metadata;
    const subject = JSON.stringify([regarding.kind, namespace, name, uid]);
    const key = JSON.stringify([subject, event.type, event.reason, event.action, event.related?.metadata.uid]);
    const known = this.#known.get(key);
    if (known !== undefined && now - known.seenAt < seriesMs) this.#repeat(known, now);
    else if (this.#mayWrite(subject)) this.#start(key, regarding, event, now);
  }

  #mayWrite(subject: string): boolean {
    return this.#limiters.getOrCreate(subject, () => new RateLimiter(spamLimit, this.#client.timing)).tryTake();
  }

  #start(key: string, regarding: ApiObject, event: RecordedEvent, now: number): void {
    const made: KnownEvent = { event: this.#eventOf(regarding, event, now), count: 1, seenAt: now, writtenAt: now };
    this.#known.set(key, made);
    this.#push(() => this.#create(made));
  }

  /** Resolves when all recorded events are written, or have failed. */
  async flush(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  #repeat(known: KnownEvent, now: number): void {
    known.count++;
    known.seenAt = now;
    if (known.count > 2 && now - known.writtenAt < refreshMs) return;
    known.writtenAt = now;
    this.#push(() => this.#writeSeries(known));
  }

  async #create(known: KnownEvent): Promise<void> {
    known.event = await this.#api(known.event).create(known.event);
  }

  async #writeSeries(known: KnownEvent): Promise<void> {
    const series = { count: known.count, lastObservedTime: formatMicroTime(known.seenAt) };
    const { name = '' } = known.event.metadata;
    try {
      await this.#api(known.event).patch(name, { type: 'merge', patch: { series } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // It has expired.
      const { resourceVersion: _, uid: __, ...metadata } = known.event.metadata;
      await this.#api(known.event).create({ ...known.event, metadata, series });
    }
  }

  #api({ metadata }: eventsV1.Event) {
    return this.#client.resource('events.k8s.io/v1/events', { namespace: metadata.namespace });
  }

  #eventOf(regarding: ApiObject, event: RecordedEvent, now: number): eventsV1.Event {
    const { namespace = 'default', name } = regarding.metadata;
    const suffix = `${now.toString(16)}${(this.#sequence++ % 0x10000).toString(16).padStart(4, '0')}`;
    return {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name: `${name?.slice(0, maxNamePart)}.${suffix}`, namespace },
      eventTime: formatMicroTime(now),
      reportingController: this.#options.controller,
      reportingInstance: this.#options.instance,
      type: event.type,
      reason: event.reason,
      action: event.action,
      note: cutBytes(event.note, maxNoteBytes),
      regarding: referenceTo(regarding),
      ...(event.related && { related: referenceTo(event.related) }),
    };
  }

  #push(write: () => Promise<void>): void {
    if (this.#queue.length < maxQueue) this.#queue.push(write);
    else this.#report(new Error('too many events: one is dropped'));
    this.#writing ??= this.#drain();
  }

  async #drain(): Promise<void> {
    for (let write = this.#queue.shift(); write !== undefined; write = this.#queue.shift())
      await write().catch((error) => this.#report(error));
    this.#writing = undefined;
  }

  #report(error: unknown): void {
    try {
      this.#options.onError?.(error);
    } catch (second) {
      console.error('an error handler failed:', second);
    }
  }
}

/** A reference to an object, as Events have it. */
export function referenceTo({ apiVersion, kind, metadata }: ApiObject): coreV1.ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return { apiVersion, kind, ...(namespace && { namespace }), name, uid, resourceVersion };
}

function cutBytes(text: string, limit: number): string {
  if (Buffer.byteLength(text) <= limit) return text;
  // A character that is cut in half becomes U+FFFD, which is removed.
  return Buffer.from(text)
    .toString('utf8', 0, limit)
    .replace(/\uFFFD$/, '');
}
