import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { AuditEvent } from '@tsukube/apiserver';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { kubeconfigWebhook, readWebhookKubeconfig } from '../files/webhook-kubeconfig.ts';
import { auditFile } from './audit-file.ts';
import { webhookSink } from './sinks.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tsukube-audit-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the file', () => {
  const options = { maxBytes: 100, maxBackups: 0, maxAgeDays: 0, compress: false };
  let time = Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  const now = () => new Date(time);
  const line = `${'x'.repeat(59)}\n`;

  it('is rotated when full, with a timestamp', async () => {
    const file = auditFile(join(folder, 'audit.log'), { ...options, now });
    file.write(line);
    file.write(line);
    await file.close();
    expect(readdirSync(folder).sort()).toEqual(['audit-2026-01-02T03-04-05.678.log', 'audit.log']);
    expect(statSync(join(folder, 'audit.log')).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, 'audit.log'), 'utf8')).toBe(line);
  });

  it('keeps a limited number and age of backups', async () => {
    writeFileSync(join(folder, 'audit-2020-01-02T03-04-05.678.log'), 'old');
    writeFileSync(join(folder, 'audit-notes.log'), 'not ours');
    const file = auditFile(join(folder, 'audit.log'), { ...options, maxBackups: 2, maxAgeDays: 30, now });
    for (let i = 0; i < 5; i++, time += 1000) file.write(line);
    await file.close();
    expect(readdirSync(folder).filter((name) => name.startsWith('audit-'))).toHaveLength(3);
    expect(readdirSync(folder)).toContain('audit-notes.log');
    expect(readdirSync(folder)).not.toContain('audit-2020-01-02T03-04-05.678.log');
  });

  it('compresses backups', async () => {
    const file = auditFile(join(folder, 'audit.log'), { ...options, compress: true, now });
    file.write(line);
    file.write(line);
    await file.close();
    const packed = readdirSync(folder).find((name) => name.endsWith('.gz')) as string;
    expect(gunzipSync(readFileSync(join(folder, packed))).toString()).toBe(line);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('appends after a restart', async () => {
    for (let i = 0; i < 2; i++) {
      const file = auditFile(join(folder, 'audit.log'), { ...options, maxBytes: 0, now });
      file.write(line);
      await file.close();
    }
    expect(readFileSync(join(folder, 'audit.log'), 'utf8')).toBe(line + line);
  });
});

describe('the webhook', () => {
  const event: AuditEvent = {
    level: 'Metadata',
    auditId: 'a',
    stage: 'RequestReceived',
    requestUri: '/',
    verb: 'get',
    user: undefined,
    impersonated: undefined,
    impersonationConstraint: '',
    sourceIps: [],
    userAgent: '',
    objectRef: undefined,
    responseStatus: undefined,
    requestObject: undefined,
    responseObject: undefined,
    received: 0,
    reached: 0,
    annotations: new Map(),
  };
  const kubeconfig = (url: string) => {
    const path = join(folder, 'webhook.kubeconfig');
    const config = {
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
      clusters: [{ name: 'k', cluster: { server: url } }],
      users: [{ name: 'u', user: { token: 'secret' } }],
    };
    writeFileSync(path, JSON.stringify(config));
    return readWebhookKubeconfig(path);
  };

  it('receives EventLists, with retries', async () => {
    const bodies: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        bodies.push(`${request.headers.authorization} ${JSON.parse(body).items.length}`);
        response.statusCode = bodies.length === 1 ? 500 : 200;
        response.end();
      });
    }).listen(0);
    const client = kubeconfigWebhook(await kubeconfig(`http://127.0.0.1:${(server.address() as AddressInfo).port}/audit`));
    const sink = webhookSink(client, 1, () => {});
    expect(await sink.process([event, event])).toBe(true);
    expect(bodies).toEqual(['Bearer secret 2', 'Bearer secret 2']);
    await sink.close();
    server.close();
  });

  it('that does not respond loses events, which are counted', async () => {
    const lost: number[] = [];
    const client = kubeconfigWebhook(await kubeconfig('http://127.0.0.1:1/'));
    const sink = webhookSink(client, 1, (_plugin, _reason, events) => lost.push(events.length));
    expect(await sink.process([event])).toBe(false);
    expect(lost).toEqual([1]);
  });

  it('needs a valid kubeconfig', async () => {
    writeFileSync(join(folder, 'bad'), 'current-context: none\n');
    await expect(readWebhookKubeconfig(join(folder, 'bad'))).rejects.toThrow('there is no context "none"');
  });
});
