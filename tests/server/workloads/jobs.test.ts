import { describe, expect, it } from 'vitest';
import { behaviour, template, useSimulatedCluster } from './simulated-cluster.ts';

const cluster = useSimulatedCluster();

async function run(spec: object, annotations: Record<string, string> = {}, podSpec: object = {}) {
  const namespace = await cluster.namespace();
  const pod = template({ app: 'job' }, 'busybox', annotations);
  const whole = { ...spec, template: { ...pod, spec: { restartPolicy: 'Never', ...pod.spec, ...podSpec } } };
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs`;
  await cluster.create(path, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'work' }, spec: whole });
  return { namespace, path: `${path}/work`, pods: `/api/v1/namespaces/${namespace}/pods` };
}

function finished(path: string, type: 'Complete' | 'Failed') {
  return cluster.eventually(async () => {
    const job = await cluster.get(path);
    expect(job.status.conditions).toContainEqual(expect.objectContaining({ type, status: 'True' }));
    return job;
  });
}

describe('a Job', () => {
  it('completes, and its pods lose the tracking finalizer', async () => {
    const { path, pods } = await run({ completions: 3, parallelism: 2 });
    const { status } = await finished(path, 'Complete');
    expect(status).toMatchObject({ succeeded: 3, ready: 0, terminating: 0, uncountedTerminatedPods: {} });
    expect(status).not.toHaveProperty('active');
    expect(status.conditions.map(({ type, reason, message }: Record<string, string>) => ({ type, reason, message }))).toEqual([
      { type: 'SuccessCriteriaMet', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' },
      { type: 'Complete', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' },
    ]);
    const items = await cluster.list(pods);
    expect(items).toHaveLength(3);
    for (const { metadata, status: pod } of items) {
      expect(metadata.finalizers).toBeUndefined();
      expect(metadata.labels).toMatchObject({ 'batch.kubernetes.io/job-name': 'work', 'job-name': 'work' });
      expect(pod.phase).toBe('Succeeded');
    }
  });

  it('with indexes runs one pod for each', async () => {
    const { path, pods } = await run({ completions: 4, parallelism: 4, completionMode: 'Indexed' });
    const { status } = await finished(path, 'Complete');
    expect(status.completedIndexes).toBe('0-3');
    const items = await cluster.list(pods);
    expect(items.map(({ metadata }) => metadata.labels['batch.kubernetes.io/job-completion-index']).sort()).toEqual([
      '0',
      '1',
      '2',
      '3',
    ]);
    const [first] = items;
    expect(first.metadata.generateName).toBe('work-0-');
    expect(first.spec.hostname).toBe('work-0');
    expect(first.spec.containers[0].env[0].name).toBe('JOB_COMPLETION_INDEX');
  });

  it('fails when pods fail more often than the backoff limit', async () => {
    const { path } = await run({ backoffLimit: 0 }, behaviour({ 'exit-code': 3 }));
    const { status } = await finished(path, 'Failed');
    expect(status.failed).toBe(1);
    expect(status.conditions.map(({ type, reason }: Record<string, string>) => [type, reason])).toEqual([
      ['FailureTarget', 'BackoffLimitExceeded'],
      ['Failed', 'BackoffLimitExceeded'],
    ]);
  });

  it('fails by its pod failure policy', async () => {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }];
    const { path } = await run({ backoffLimit: 6, podFailurePolicy: { rules } }, behaviour({ 'exit-code': 42 }));
    const { status } = await finished(path, 'Failed');
    const [{ reason, message }] = status.conditions;
    expect(reason).toBe('PodFailurePolicy');
    expect(message).toMatch(/^Container web for pod .*\/work-.* failed with exit code 42 matching FailJob rule at index 0$/);
  });

  it('fails after its deadline, and its pods are deleted', async () => {
    const { path, pods } = await run({ activeDeadlineSeconds: 1 }, behaviour({ 'run-seconds': 3600 }));
    const { status } = await finished(path, 'Failed');
    expect(status.conditions[0]).toMatchObject({
      reason: 'DeadlineExceeded',
      message: 'Job was active longer than specified deadline',
    });
    await cluster.eventually(async () => expect(await cluster.list(pods)).toEqual([]));
  });

  it('is suspended and resumed', async () => {
    const { path, pods } = await run({ suspend: true });
    await cluster.eventually(async () => {
      const { status } = await cluster.get(path);
      expect(status.conditions[0]).toMatchObject({
        type: 'Suspended',
        status: 'True',
        reason: 'JobSuspended',
        message: 'Job suspended',
      });
      expect(status.startTime).toBeUndefined();
    });
    expect(await cluster.list(pods)).toEqual([]);
    await cluster.patch(path, { spec: { suspend: false } });
    const { status } = await finished(path, 'Complete');
    expect(status.conditions[0]).toMatchObject({ type: 'Suspended', status: 'False', reason: 'JobResumed' });
  });

  it('is met by a success policy', async () => {
    const successPolicy = { rules: [{ succeededIndexes: '0' }] };
    const { path } = await run({ completions: 3, parallelism: 1, completionMode: 'Indexed', successPolicy });
    const { status } = await finished(path, 'Complete');
    expect(status.conditions[0]).toMatchObject({
      type: 'SuccessCriteriaMet',
      reason: 'SuccessPolicy',
      message: 'Matched rules at index 0',
    });
  });

  it('orphans its pods when it is deleted', async () => {
    const { path, pods } = await run({}, behaviour({ 'run-seconds': 3600 }));
    await cluster.eventually(async () => expect((await cluster.list(pods))[0]?.status.phase).toBe('Running'));
    await cluster.delete(`${path}?propagationPolicy=Background`);
    await cluster.eventually(async () => expect(await cluster.list(pods)).toEqual([]));
  });
});

describe('a CronJob', () => {
  it('creates Jobs on time and keeps the last ones', async () => {
    const namespace = await cluster.namespace();
    const path = `/apis/batch/v1/namespaces/${namespace}`;
    const pod = template({ app: 'cron' });
    const jobTemplate = {
      metadata: { labels: { a: 'b' } },
      spec: { template: { ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } } },
    };
    const spec = { schedule: '@every 1s', successfulJobsHistoryLimit: 1, jobTemplate };
    await cluster.create(`${path}/cronjobs`, { apiVersion: 'batch/v1', kind: 'CronJob', metadata: { name: 'tick' }, spec });
    await cluster.eventually(async () => {
      const [job] = await cluster.list(`${path}/jobs`);
      expect(job.metadata.name).toMatch(/^tick-[0-9]+$/);
      expect(job.metadata.labels).toMatchObject({ a: 'b' });
      expect(job.metadata.annotations['batch.kubernetes.io/cronjob-scheduled-timestamp']).toMatch(/^20/);
      expect(job.metadata.ownerReferences[0]).toMatchObject({ kind: 'CronJob', name: 'tick', controller: true });
    });
    await cluster.eventually(async () => {
      const { status } = await cluster.get(`${path}/cronjobs/tick`);
      expect(status).toMatchObject({ lastScheduleTime: expect.any(String), lastSuccessfulTime: expect.any(String) });
      expect(status.active).toBeUndefined();
    });
  });
});
