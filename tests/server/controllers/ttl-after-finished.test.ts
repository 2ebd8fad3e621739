import { expect, it } from 'vitest';
import type { Any } from '../../support/client.ts';
import { useServer } from '../../support/server.ts';

const t = useServer();
const merge = { 'content-type': 'application/merge-patch+json' };
const jobs = '/apis/batch/v1/namespaces/default/jobs';

async function finishedJob(name: string, ttl: number | undefined, type = 'Complete'): Promise<void> {
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  const spec = { template, suspend: false, ...(ttl !== undefined && { ttlSecondsAfterFinished: ttl }) };
  const created = await t.client.send('POST', jobs, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name }, spec });
  expect(created.status, created.text).toBe(201);
  const now = new Date().toISOString().replace(/\.\d+/, '');
  const before = type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const conditions = [before, type].map((each) => ({ type: each, status: 'True', lastProbeTime: now, lastTransitionTime: now }));
  const status: Any = { startTime: now, conditions, ...(type === 'Complete' && { completionTime: now, succeeded: 1 }) };
  const patched = await t.client.send('PATCH', `${jobs}/${name}/status`, { status }, merge);
  expect(patched.status, patched.text).toBe(200);
}

it('deletes finished Jobs after their TTL, and no others', async () => {
  await finishedJob('kept', undefined);
  await finishedJob('later', 3600);
  await finishedJob('failed', 0, 'Failed');
  await finishedJob('soon', 1);
  const statusOf = async (name: string) => (await t.client.get(`${jobs}/${name}`)).status;
  for (const name of ['failed', 'soon']) await expect.poll(() => statusOf(name), { timeout: 10_000, interval: 50 }).toBe(404);
  for (const name of ['kept', 'later']) expect(await statusOf(name)).toBe(200);
  await t.client.send('PATCH', `${jobs}/later`, { spec: { ttlSecondsAfterFinished: 0 } }, merge);
  await expect.poll(() => statusOf('later'), { timeout: 10_000, interval: 50 }).toBe(404);
});
