import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AuditEvent, eventJson, legacyFormat, microTime } from './event.ts';
import { type AuditSink, batchingSink, lenientSink, truncatingSink, unionSink } from './sink.ts';

const event: AuditEvent = {
  level: 'RequestResponse',
  auditId: 'id',
  stage: 'ResponseComplete',
  requestUri: '/api/v1/pods?a=1&b=<2>',
  verb: 'list',
  user: { name: 'jane', groups: ['a', 'b'], extra: { z: ['1'], a: ['2'] } },
  impersonated: undefined,
  impersonationConstraint: '',
  sourceIps: ['10.0.0.1'],
  userAgent: 'test',
  objectRef: undefined,
  responseStatus: { code: 200 },
  requestObject: '{"kind":"X"}',
  responseObject: undefined,
  received: Date.UTC(2026, 0, 2, 3, 4, 5) * 1000 + 6,
  reached: Date.UTC(2026, 0, 2, 3, 4, 6) * 1000,
  annotations: new Map([
    ['b', '1'],
    ['a', '2'],
  ]),
};
const numbered = (auditId: string): AuditEvent => ({ ...event, auditId });

function memorySink(outcome: boolean | Promise<boolean> = true) {
  const batches: string[][] = [];
  const sink: AuditSink & { closed: boolean } = {
    closed: false,
    process(events) {
      batches.push(events.map(({ auditId }) => auditId));
      return outcome;
    },
    async close() {
      this.closed = true;
    },
  };
  return { batches, sink };
}

describe('an event', () => {
  it('is JSON of audit.k8s.io/v1', () => {
    expect(eventJson(event)).toBe(
      '{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"RequestResponse","auditID":"id","stage":"ResponseComplete",' +
        '"requestURI":"/api/v1/pods?a=1\\u0026b=\\u003c2\\u003e","verb":"list",' +
        '"user":{"username":"jane","groups":["a","b"],"extra":{"a":["2"],"z":["1"]}},"sourceIPs":["10.0.0.1"],"userAgent":"test",' +
        '"responseStatus":{"metadata":{},"code":200},"requestObject":{"kind":"X"},' +
        '"requestReceivedTimestamp":"2026-01-02T03:04:05.000006Z","stageTimestamp":"2026-01-02T03:04:06.000000Z",' +
        '"annotations":{"a":"2","b":"1"}}',
    );
  });
  it('has the legacy format', () => {
    expect(legacyFormat(event)).toBe(
      '2026-01-02T03:04:05.000006Z AUDIT: id="id" stage="ResponseComplete" ip="10.0.0.1" method="list" user="jane" ' +
        'groups="\\"a\\",\\"b\\"" as="<self>" asgroups="<lookup>" user-agent="test" namespace="<none>" ' +
        'uri="/api/v1/pods?a=1&b=<2>" response="200"',
    );
  });
  it('has times with microseconds', () => expect(microTime(1_500_000)).toBe('1970-01-01T00:00:01.500000Z'));
});

describe('batches', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const options = { bufferSize: 5, maxBatchSize: 2, maxWaitMs: 1000, throttle: undefined, concurrent: true, onLost: () => {} };

  it('are sent when full or after the maximum wait', async () => {
    const { batches, sink } = memorySink();
    const batching = batchingSink(sink, options);
    for (const id of ['1', '2', '3']) batching.process([numbered(id)]);
    await vi.advanceTimersByTimeAsync(10);
    expect(batches).toEqual([['1', '2']]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(batches).toEqual([['1', '2'], ['3']]);
  });

  it('drop events beyond the buffer and report them', async () => {
    const lost: string[] = [];
    const onLost = (plugin: string, reason: string, events: readonly AuditEvent[]) =>
      lost.push(`${plugin} ${reason} ${events.length}`);
    const { batches, sink } = memorySink();
    const batching = batchingSink(sink, { ...options, onLost });
    for (let i = 0; i < 8; i++) expect(batching.process([numbered(String(i))])).toBe(true);
    expect(lost).toEqual(Array(3).fill('buffered audit buffer queue blocked 1'));
    await batching.close();
    expect(batches.flat()).toEqual(['0', '1', '2', '3', '4']);
  });

  it('are throttled', async () => {
    const { batches, sink } = memorySink();
    const batching = batchingSink(sink, { ...options, maxBatchSize: 1, throttle: { perSecond: 1, burst: 2 } });
    for (let i = 0; i < 5; i++) batching.process([numbered(String(i))]);
    await vi.advanceTimersByTimeAsync(10);
    expect(batches).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(2000);
    expect(batches).toHaveLength(4);
  });

  it('that the backend does not accept do not block shutdown', async () => {
    const { sink } = memorySink(new Promise(() => {}));
    const batching = batchingSink(sink, options);
    batching.process([event]);
    const closed = batching.close();
    await vi.advanceTimersByTimeAsync(10_000);
    await closed;
    expect(sink.closed).toBe(true);
  });

  it('are flushed at shutdown, after which events are dropped', async () => {
    const { batches, sink } = memorySink();
    const batching = batchingSink(sink, { ...options, throttle: { perSecond: 0.001, burst: 1 } });
    for (let i = 0; i < 5; i++) batching.process([numbered(String(i))]);
    await batching.close();
    batching.process([numbered('late')]);
    expect(batches.flat()).toEqual(['0', '1', '2', '3', '4']);
    expect(sink.closed).toBe(true);
  });
});

describe('events that are too large', () => {
  it('are truncated or dropped', () => {
    const lost: string[] = [];
    const seen: AuditEvent[] = [];
    const sink: AuditSink = { process: (events) => seen.push(...events) > 0, close: async () => {} };
    const truncating = truncatingSink(sink, {
      maxEventBytes: 1000,
      maxBatchBytes: 1500,
      onLost: (plugin) => lost.push(plugin),
    });
    truncating.process([
      event,
      { ...event, responseObject: `"${'x'.repeat(2000)}"` },
      { ...event, requestUri: 'x'.repeat(2000) },
    ]);
    expect(seen).toHaveLength(2);
    expect(seen[1]).toMatchObject({ requestObject: undefined, responseObject: undefined });
    expect(seen[1]?.annotations.get('audit.k8s.io/truncated')).toBe('true');
    expect(lost).toEqual(['truncate']);
  });
});

describe('several sinks', () => {
  it('all have to succeed', async () => {
    const failing = memorySink(false).sink;
    expect(unionSink([memorySink().sink, failing]).process([event])).toBe(false);
    expect(await unionSink([memorySink(Promise.resolve(true)).sink, memorySink().sink]).process([event])).toBe(true);
    expect(lenientSink(failing).process([event])).toBe(true);
  });
});
