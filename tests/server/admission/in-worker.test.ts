import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { Any } from '../../support/client.ts';
import { until } from '../../support/definitions.ts';
import { useServer } from '../../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-admission-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [auditPolicyFile, auditLogPath] = [join(folder, 'policy.yaml'), join(folder, 'audit.log')];
writeFileSync(auditPolicyFile, 'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- {level: Metadata}\n');

/** Every write is served by a worker thread. */
const limits = { bytes: -1, values: -1 };
const t = useServer({ offload: { limits }, auditPolicyFile, auditLogPath });
const spec = { containers: [{ name: 'c', image: 'i' }] };

function events(): Any[] {
  const lines = readFileSync(auditLogPath, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line));
}

it('warnings and audit annotations of plugins reach the client and the audit log', async () => {
  const labels = { 'pod-security.kubernetes.io/warn': 'restricted', 'pod-security.kubernetes.io/audit': 'restricted' };
  await t.client.send('POST', '/api/v1/namespaces', { metadata: { name: 'warned', labels } });
  const path = '/api/v1/namespaces/warned/pods';
  await t.client.send('POST', '/api/v1/namespaces/warned/serviceaccounts', { metadata: { name: 'default' } });
  const { status, headers } = await t.client.send('POST', path, { metadata: { name: 'p' }, spec }, { 'audit-id': 'pod' });
  expect(status).toBe(201);
  expect(headers.warning).toContain('would violate PodSecurity');
  const event = () => events().find(({ auditID, stage }) => auditID === 'pod' && stage === 'ResponseComplete');
  await until(async () => event() !== undefined);
  expect(event().annotations).toMatchObject({
    'pod-security.kubernetes.io/enforce-policy': 'privileged:latest',
    'pod-security.kubernetes.io/audit-violations': expect.stringContaining('would violate PodSecurity'),
  });
});
