import { StatusError } from '@tsukube/machinery';
import { type Answer, ClientGone, type Exchange, type StreamAnswer } from '@tsukube/transport';
import { describe, expect, it } from 'vitest';
import { auditMetrics } from '../audit/audit-metrics.ts';
import type { AuditEvent } from '../audit/event.ts';
import { readAuditPolicy } from '../audit/policy.ts';
import { IncomingRequest } from '../http/api-request.ts';
import { requestInfo } from '../http/request-info.ts';
import { Registry } from '../metrics/prometheus/registry.ts';
import { audit, auditFailedAuthentication } from './audit.ts';
import { chain, type Handler } from './filter.ts';

const ok: Answer = { kind: 'bytes', status: 200, type: 'application/json', body: '{"kind":"Pod"}\n' };

function setUp(rule: object, handler: Handler, stores: boolean | Promise<boolean> = true) {
  const events: AuditEvent[] = [];
  const closing: (() => void)[] = [];
  const registry = new Registry();
  const options = {
    policy: readAuditPolicy({
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      rules: [{ level: 'RequestResponse', ...rule }],
    } as never),
    sink: {
      process(batch: readonly AuditEvent[]) {
        events.push(...batch);
        return stores;
      },
      close: async () => {},
    },
    metrics: auditMetrics(registry),
  };
  const handle = chain([auditFailedAuthentication(options), audit(options)], handler);
  const ask = async (url = '/api/v1/pods') => {
    const exchange = {
      method: 'GET',
      url,
      header: () => undefined,
      onClose: (listener: () => void) => closing.push(listener),
      connection: { remoteAddress: '10.0.0.1' },
    } as unknown as Exchange;
    const request = new IncomingRequest(exchange, Date.now());
    request.info = requestInfo('GET', request.path, () => request.query);
    request.user = { name: 'jane', groups: [] };
    return handle(request);
  };
  const stages = () => events.map(({ stage, responseStatus }) => `${stage} ${responseStatus?.code ?? ''}`.trim());
  return { ask, events, stages, closing, registry };
}

describe('audit', () => {
  it('emits RequestReceived and ResponseComplete', async () => {
    const { ask, stages, events } = setUp({}, () => ok);
    expect(await ask()).toBe(ok);
    expect(stages()).toEqual(['RequestReceived', 'ResponseComplete 200']);
    expect(events[1]?.responseObject).toBe('{"kind":"Pod"}');
  });

  it('omits stages by policy', async () => {
    const { ask, stages } = setUp({ omitStages: ['RequestReceived'] }, () => ok);
    await ask();
    expect(stages()).toEqual(['ResponseComplete 200']);
    const none = setUp({ verbs: ['create'] }, () => ok);
    await none.ask();
    expect(none.stages()).toEqual([]);
  });

  it('waits for a slow blocking sink', async () => {
    const { ask, stages } = setUp({}, () => ok, Promise.resolve(true));
    expect(await ask()).toBe(ok);
    expect(stages()).toEqual(['RequestReceived', 'ResponseComplete 200']);
  });

  it('rejects requests whose event cannot be stored in blocking-strict mode', async () => {
    let served = 0;
    const serve = () => {
      served++;
      return ok;
    };
    const { ask, registry } = setUp({}, serve, false);
    expect(await ask()).toMatchObject({
      status: 500,
      body: 'Internal Server Error: "/api/v1/pods": failed to store audit event\n',
    });
    expect(served).toBe(0);
    expect(await registry.scrape()).toContain('apiserver_audit_requests_rejected_total 1\n');
  });

  it('emits Panic for unknown errors only', async () => {
    const failing = (error: Error) =>
      setUp({}, () => {
        throw error;
      });
    const foreseen = failing(StatusError.badRequest('no'));
    await expect(foreseen.ask()).rejects.toThrow('no');
    expect(foreseen.stages()).toEqual(['RequestReceived', 'ResponseComplete 400']);
    const panic = failing(new TypeError('secret of the code'));
    await expect(panic.ask()).rejects.toThrow();
    expect(panic.stages()).toEqual(['RequestReceived', 'Panic 500']);
    expect(JSON.stringify(panic.events[1]?.responseStatus)).not.toContain('secret');
    const gone = failing(new ClientGone());
    await expect(gone.ask()).rejects.toThrow();
    expect(gone.events[1]?.responseStatus).toMatchObject({ message: 'Connection closed early', code: 200 });
  });

  it('audits a watch from ResponseStarted to ResponseComplete', async () => {
    const stream: StreamAnswer = { kind: 'stream', status: 200, type: 'application/json', start() {} };
    const { ask, stages, closing } = setUp({}, () => stream);
    await ask('/api/v1/pods?watch=1');
    expect(stages()).toEqual(['RequestReceived', 'ResponseStarted 200']);
    for (const close of closing) close();
    expect(stages().at(-1)).toBe('ResponseComplete 200');
  });

  it('audits a list in pieces, and buffers it only at level RequestResponse', async () => {
    const pieces = (): Answer => ({
      ...ok,
      body: [Buffer.from('{"kind":"List",'), Buffer.from('"items":[]}')][Symbol.iterator]() as never,
    });
    for (const [level, expected] of [
      ['RequestResponse', '{"kind":"List","items":[]}'],
      ['Metadata', undefined],
    ]) {
      const { ask, stages, events } = setUp({ level }, pieces);
      const { body } = (await ask()) as { body: Iterable<Uint8Array> };
      expect(stages()).toEqual(['RequestReceived']);
      for (const piece of body) expect(piece.length).toBeGreaterThan(0);
      expect(stages()).toEqual(['RequestReceived', 'ResponseComplete 200']);
      expect(events[1]?.responseObject).toBe(expected);
    }
  });
});
