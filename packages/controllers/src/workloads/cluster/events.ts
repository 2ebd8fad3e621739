import type { coreV1 } from '@tsukube/api/kinds';
import type { ApiObject } from '@tsukube/client';
import { BoundedCache, formatMicroTime, formatTime } from '@tsukube/machinery';
import type { Cluster, WithoutTypeMeta } from './cluster.ts';

/** Records Events about objects, as client-go's recorder does. Never throws: an Event that cannot be written is logged. */
export interface WorkloadEventRecorder {
  normal(object: ApiObject, reason: string, message: string): void;
  warning(object: ApiObject, reason: string, message: string): void;
}

export interface RecorderOptions {
  /** With actions by reason, Events are those of events.k8s.io, which have no source. */
  readonly actions?: Readonly<Record<string, string>>;
}

interface Occurrence {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** Token bucket of Events for each object, as client-go's spam filter. */
const burst = 25;
const refillMs = 300_000;
/** More than this many different messages for the same reason are combined. */
const maxSimilar = 10;
const similarMs = 600_000;
const knownEvents = 4096;
const maxMessage = 1024;

/** `component` is the source of the Events. Repeated Events raise a count; many similar ones become one. */
export function eventRecorder(cluster: Cluster, component: string, options: RecorderOptions = {}): WorkloadEventRecorder {
  const written = new BoundedCache<string, Promise<coreV1.Event | undefined>>({ entries: knownEvents });
  const buckets = new BoundedCache<string, { tokens: number; at: number }>({ entries: knownEvents });
  const similar = new BoundedCache<string, { messages: Set<string>; since: number }>({ entries: knownEvents });

  const isAllowed = (uid: string): boolean => {
    const now = cluster.now();
    const last = buckets.get(uid) ?? { tokens: burst, at: now };
    const tokens = Math.min(burst, last.tokens + (now - last.at) / refillMs);
    buckets.set(uid, { tokens: Math.max(0, tokens - 1), at: now });
    return tokens >= 1;
  };
  const isCombined = (key: string, message: string): boolean => {
    const known = similar.get(key);
    const now = cluster.now();
    const group = known && now - known.since < similarMs ? known : { messages: new Set<string>(), since: now };
    group.messages.add(message);
    similar.set(key, group);
    return group.messages.size >= maxSimilar;
  };
  const record = (object: ApiObject, { type, reason, message }: Occurrence): void => {
    const { uid = '' } = object.metadata;
    const group = JSON.stringify([uid, type, reason]);
    const combines = !options.actions && isCombined(group, message);
    if (!isAllowed(uid)) return;
    const text = combines ? `(combined from similar events): ${message}` : message;
    const key = combines ? group : JSON.stringify([uid, type, reason, message]);
    const before = written.get(key) ?? Promise.resolve(undefined);
    const write = before.then((known) =>
      known
        ? cluster.update('events', repeated(known, text, cluster.now()))
        : cluster.create(
            'events',
            newEvent(object, component, { type, reason, message: text }, options, combines, cluster.now()),
          ),
    );
    written.set(
      key,
      write.catch((error) => {
        cluster.logger.debug('an Event was not recorded', { reason, error: String(error) });
        return undefined;
      }),
    );
  };
  return {
    normal: (object, reason, message) => record(object, { type: 'Normal', reason, message }),
    warning: (object, reason, message) => record(object, { type: 'Warning', reason, message }),
  };
}

function repeated(event: coreV1.Event, message: string, now: number): coreV1.Event {
  const metadata = { ...event.metadata, resourceVersion: undefined };
  if (!event.source?.component) {
    const series = { count: (event.series?.count ?? 1) + 1, lastObservedTime: formatMicroTime(now) };
    return { ...event, metadata, series } as coreV1.Event;
  }
  return {
    ...event,
    metadata,
    message: message.slice(0, maxMessage),
    count: (event.count ?? 1) + 1,
    lastTimestamp: formatTime(now),
  } as coreV1.Event;
}

function newEvent(
  object: ApiObject,
  component: string,
  { type, reason, message }: Occurrence,
  { actions }: RecorderOptions,
  combines: boolean,
  now: number,
): WithoutTypeMeta<coreV1.Event> {
  const { name, namespace, uid, resourceVersion } = object.metadata;
  const time = formatTime(now);
  const involvedObject = { kind: object.kind, apiVersion: object.apiVersion, name, namespace, uid, resourceVersion };
  const common = {
    metadata: { name: `${name}.${uniqueSuffix(now)}`, namespace: namespace || 'default' },
    involvedObject: involvedObject as coreV1.ObjectReference,
    reason,
    message: message.slice(0, maxMessage),
    type,
  };
  if (actions) {
    const reporting = { action: actions[reason] ?? reason, reportingComponent: component, reportingInstance: component };
    return { ...common, ...reporting, source: {}, eventTime: formatMicroTime(now) };
  }
  const counted = { source: { component }, firstTimestamp: time, lastTimestamp: time, count: 1 };
  return { ...common, ...counted, reportingComponent: combines ? '' : component, reportingInstance: '' };
}

let serial = 0;

/** Nanoseconds since 1970 in hexadecimal; a serial number distinguishes Events of the same millisecond. */
function uniqueSuffix(now: number): string {
  serial = (serial + 1) % 1_000_000;
  return (BigInt(Math.floor(now)) * 1_000_000n + BigInt(serial)).toString(16);
}
