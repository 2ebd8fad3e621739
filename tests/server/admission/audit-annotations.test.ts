import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AdmissionPlugin } from '@tsukube/apiserver';
import { afterAll, expect, it } from 'vitest';
import type { Any } from '../../support/client.ts';
import { until } from '../../support/definitions.ts';
import { useServer } from '../../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'tsukube-annotations-'));
afterAll(() => rmSync(folder, { recursive: true }));
const [auditPolicyFile, auditLogPath] = [join(folder, 'policy.yaml'), join(folder, 'audit.log')];
const policy = `apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- {level: Metadata, resources: [{group: "", resources: ["secrets"]}]}
- {level: Request, resources: [{group: "", resources: ["configmaps"]}]}
- {level: RequestResponse, resources: [{group: "", resources: ["limitranges"]}]}
- {level: None}
`;
writeFileSync(auditPolicyFile, policy);

const plugin: AdmissionPlugin = {
  name: 'Annotating',
  mutate({ annotate }) {
    annotate('example.com/first', 'mutate');
    annotate('example.com/patch', 'p', 'Request');
    for (const key of ['plain', 'a/b/c', '/empty', 'Upper Case/x', 'example.com/']) annotate(key, 'invalid');
  },
  validate: ({ annotate }) => annotate('example.com/first', 'validate'),
};
const t = useServer({ auditPolicyFile, auditLogPath, admissionPlugins: [plugin] });

function annotationsOf(id: string): Any {
  const events = readFileSync(auditLogPath, 'utf8').trim().split('\n');
  const found = events
    .map((line) => JSON.parse(line))
    .find(({ auditID, stage }) => auditID === id && stage === 'ResponseComplete');
  return found && Object.fromEntries(Object.entries(found.annotations).filter(([key]) => !key.startsWith('authorization')));
}

it.each([
  ['secrets', { 'example.com/first': 'mutate' }],
  ['configmaps', { 'example.com/first': 'mutate', 'example.com/patch': 'p' }],
  ['limitranges', { 'example.com/first': 'mutate', 'example.com/patch': 'p' }],
])('of %s: the first value of valid keys, at the level of the event', async (plural, expected) => {
  const body = { metadata: { name: 'x' } };
  const { status } = await t.client.send('POST', `/api/v1/namespaces/default/${plural}`, body, { 'audit-id': plural });
  expect(status).toBe(201);
  await until(async () => annotationsOf(plural) !== undefined);
  expect(annotationsOf(plural)).toEqual(expected);
});
