import { type AuditEvent, eventJson } from './event.ts';
import type { AuditSink, OnLost } from './sink.ts';

export interface TruncationOptions {
  readonly maxEventBytes: number;
  readonly maxBatchBytes: number;
  readonly onLost: OnLost;
}

/** Takes the objects out of events that are too large, drops what is too large even then, and splits batches. */
export function truncatingSink(sink: AuditSink, { maxEventBytes, maxBatchBytes, onLost }: TruncationOptions): AuditSink {
  const fitting = (event: AuditEvent): { event: AuditEvent; size: number } | undefined => {
    const size = sizeOf(event);
    if (size <= maxEventBytes) return { event, size };
    const cut = event.level === 'Metadata' ? event : withoutObjects(event);
    const cutSize = sizeOf(cut);
    if (cutSize <= maxEventBytes) return { event: cut, size: cutSize };
    onLost('truncate', 'event is too large even after truncating', [cut]);
    return undefined;
  };
  return {
    process(events) {
      const batches = batched(
        events.flatMap((event) => fitting(event) ?? []),
        maxBatchBytes,
      );
      const outcomes = batches.map((batch) => sink.process(batch));
      if (outcomes.some((outcome) => outcome instanceof Promise)) return Promise.all(outcomes).then((all) => all.every(Boolean));
      return outcomes.every(Boolean);
    },
    close: () => sink.close(),
  };
}

function sizeOf(event: AuditEvent): number {
  return Buffer.byteLength(eventJson(event)) + 1;
}

function withoutObjects(event: AuditEvent): AuditEvent {
  const annotations = new Map([...event.annotations, ['audit.k8s.io/truncated', 'true']]);
  return { ...event, requestObject: undefined, responseObject: undefined, annotations };
}

function batched(sized: readonly { event: AuditEvent; size: number }[], maxBytes: number): readonly (readonly AuditEvent[])[] {
  const batches: AuditEvent[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const { event, size } of sized) {
    if (bytes + size > maxBytes) {
      batches.push([]);
      bytes = 0;
    }
    batches.at(-1)?.push(event);
    bytes += size;
  }
  return batches;
}
