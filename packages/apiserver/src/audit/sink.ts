import type { AuditEvent } from './event.ts';

/** Takes events down. */
export interface AuditSink {
  /** Whether the events are safe, as far as this sink promises that. Never fails. */
  process(events: readonly AuditEvent[]): boolean | Promise<boolean>;
  /** Hands on what waits, and ends. */
  close(): Promise<void>;
}

/** Told of events that were lost: which part of the way they were lost in, why, and how many. */
export type OnLost = (plugin: string, reason: string, events: readonly AuditEvent[]) => void;

/** All of them. */
export function unionSink(sinks: readonly AuditSink[]): AuditSink {
  if (sinks.length === 1) return sinks[0] as AuditSink;
  return {
    process(events) {
      const outcomes = sinks.map((sink) => sink.process(events));
      if (outcomes.some((outcome) => outcome instanceof Promise)) return Promise.all(outcomes).then((all) => all.every(Boolean));
      return outcomes.every(Boolean);
    },
    close: async () => void (await Promise.all(sinks.map((sink) => sink.close()))),
  };
}

/** Waits for the sink, but does not refuse requests when it fails. */
export function lenientSink(sink: AuditSink): AuditSink {
  return {
    process(events) {
      const outcome = sink.process(events);
      return outcome instanceof Promise ? outcome.then(() => true) : true;
    },
    close: () => sink.close(),
  };
}
