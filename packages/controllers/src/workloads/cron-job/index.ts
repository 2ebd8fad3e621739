import type { batchV1, coreV1 } from '@tsukube/api/kinds';
import { formatTime, StatusError } from '@tsukube/machinery';
import type { Cluster, WithoutTypeMeta } from '../cluster/cluster.ts';
import { runController, type WorkloadController } from '../cluster/controller.ts';
import { eventRecorder, type WorkloadEventRecorder } from '../cluster/events.ts';
import { copyOf, isSame } from '../cluster/values.ts';
import { controllerRef, controllerUid } from '../pods/ownership.ts';
import { parseSchedule, type Schedule } from './schedule.ts';

type CronJob = batchV1.CronJob;
type Job = batchV1.Job;

/** Schedules missed beyond this are not counted one by one. */
const maxMissed = 100;

/** Creates Jobs on schedules, and deletes old ones. */
export function cronJobController(cluster: Cluster): WorkloadController {
  const cronJobs = cluster.objects('cronjobs');
  const jobs = cluster.objects('jobs');
  const jobsOf = jobs.index(controllerUid);
  const events = eventRecorder(cluster, 'cronjob-controller');
  const reconcile = async (namespace: string, name: string): Promise<number | undefined> => {
    const cronJob = cronJobs.get(namespace, name);
    if (!cronJob) return undefined;
    return new CronSync(cluster, events, cronJob, jobsOf(cronJob.metadata.uid ?? '')).run();
  };
  const controller = runController(cluster, { of: cronJobs, reconcile });
  controller.owns(jobs, 'CronJob');
  return controller;
}

function finishedAs({ status }: Job): string | undefined {
  return status?.conditions?.find(({ type, status: value }) => value === 'True' && (type === 'Complete' || type === 'Failed'))
    ?.type;
}

class CronSync {
  readonly #cluster: Cluster;
  readonly #events: WorkloadEventRecorder;
  readonly #cronJob: CronJob;
  readonly #jobs: readonly Job[];
  #status: batchV1.CronJobStatus;

  constructor(cluster: Cluster, events: WorkloadEventRecorder, cronJob: CronJob, jobs: readonly Job[]) {
    this.#cluster = cluster;
    this.#events = events;
    this.#cronJob = cronJob;
    this.#jobs = jobs;
    this.#status = copyOf(cronJob.status ?? {});
  }

  async run(): Promise<number | undefined> {
    const { spec, metadata } = this.#cronJob;
    await this.#cleanUp();
    this.#followJobs();
    let after: number | undefined;
    if (metadata.deletionTimestamp === undefined && !spec?.suspend) after = await this.#schedule();
    if (this.#status.active?.length === 0) this.#status.active = undefined;
    if (!isSame(this.#status, this.#cronJob.status ?? {})) {
      await this.#cluster.update('cronjobs', { ...this.#cronJob, status: this.#status }, 'status');
    }
    return after;
  }

  /** Finished Jobs leave the list of active ones. */
  #followJobs(): void {
    for (const job of this.#jobs) {
      const finished = finishedAs(job);
      const isActive = this.#status.active?.some(({ uid }) => uid === job.metadata.uid);
      if (finished === undefined || !isActive) continue;
      this.#status.active = this.#status.active?.filter(({ uid }) => uid !== job.metadata.uid) ?? [];
      this.#events.normal(this.#cronJob, 'SawCompletedJob', `Saw completed job: ${job.metadata.name}, condition: ${finished}`);
      const completed = job.status?.completionTime;
      const isLater = completed !== undefined && !((this.#status.lastSuccessfulTime ?? '') >= completed);
      if (finished === 'Complete' && isLater) this.#status.lastSuccessfulTime = completed;
    }
    for (const { uid, name = '' } of this.#status.active ?? []) {
      if (this.#jobs.some(({ metadata }) => metadata.uid === uid)) continue;
      this.#events.warning(this.#cronJob, 'MissingJob', `Active job went missing: ${name}`);
      this.#status.active = this.#status.active?.filter((reference) => reference.uid !== uid) ?? [];
    }
  }

  /** Starts the Job of the last time that has come. Resolves to the milliseconds until the next one. */
  async #schedule(): Promise<number | undefined> {
    const { spec, metadata } = this.#cronJob;
    const now = this.#cluster.now();
    const schedule = this.#parse();
    if (!schedule) return undefined;
    const due = lastDue(schedule, this.#earliest(now), now);
    const until = () => Math.max(0, (schedule.next(now) ?? now + 24 * 3_600_000) - now) + 100;
    if (due === undefined || this.#status.lastScheduleTime === formatTime(due)) return until();
    if (spec?.startingDeadlineSeconds !== undefined && due + spec.startingDeadlineSeconds * 1000 < now) {
      this.#events.warning(this.#cronJob, 'MissSchedule', `Missed scheduled time to start a job: ${new Date(due).toUTCString()}`);
      return until();
    }
    const active = this.#status.active ?? [];
    if (spec?.concurrencyPolicy === 'Forbid' && active.length > 0) {
      const message = 'Not starting job because prior execution is running and concurrency policy is Forbid';
      this.#events.normal(this.#cronJob, 'JobAlreadyActive', message);
      return until();
    }
    if (spec?.concurrencyPolicy === 'Replace') for (const reference of active) await this.#deleteActive(reference);
    if (metadata.deletionTimestamp === undefined) await this.#start(due);
    return until();
  }

  #parse(): Schedule | undefined {
    const { schedule = '', timeZone } = this.#cronJob.spec ?? {};
    try {
      return parseSchedule(schedule, timeZone);
    } catch (error) {
      this.#events.warning(
        this.#cronJob,
        'UnparseableSchedule',
        `unparseable schedule: "${schedule}" : ${(error as Error).message}`,
      );
      return undefined;
    }
  }

  /** Schedules before this time are not made up for. */
  #earliest(now: number): number {
    const { metadata, spec } = this.#cronJob;
    const known = Date.parse(this.#status.lastScheduleTime ?? metadata.creationTimestamp ?? '');
    return spec?.startingDeadlineSeconds === undefined ? known : Math.max(known, now - spec.startingDeadlineSeconds * 1000);
  }

  async #start(due: number): Promise<void> {
    const job = await this.#create(jobOf(this.#cronJob, due));
    if (!job) return;
    const { apiVersion, kind, metadata } = job;
    const { namespace, name, uid, resourceVersion } = metadata;
    const reference = { kind, namespace, name, uid, apiVersion, resourceVersion } as coreV1.ObjectReference;
    this.#status.active = [...(this.#status.active ?? []), reference];
    this.#status.lastScheduleTime = formatTime(due);
  }

  /** A Job of that name has been created by a former attempt. */
  async #create(body: WithoutTypeMeta<Job>): Promise<Job | undefined> {
    try {
      const job = await this.#cluster.create('jobs', body);
      this.#events.normal(this.#cronJob, 'SuccessfulCreate', `Created job ${job.metadata.name}`);
      return job;
    } catch (error) {
      if (error instanceof StatusError && error.status.reason === 'AlreadyExists') {
        const existing = this.#jobs.find(({ metadata }) => metadata.name === body.metadata.name);
        return existing && finishedAs(existing) === undefined ? existing : undefined;
      }
      this.#events.warning(this.#cronJob, 'FailedCreate', `Error creating job: ${(error as Error).message}`);
      throw error;
    }
  }

  async #deleteActive({ uid }: coreV1.ObjectReference): Promise<void> {
    const job = this.#jobs.find(({ metadata }) => metadata.uid === uid);
    if (job) await this.#delete(job);
    this.#status.active = this.#status.active?.filter((reference) => reference.uid !== uid) ?? [];
  }

  /** Deletes the oldest finished Jobs beyond the history limits. */
  async #cleanUp(): Promise<void> {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = this.#cronJob.spec ?? {};
    const limits = { Complete: successfulJobsHistoryLimit, Failed: failedJobsHistoryLimit };
    for (const [type, limit] of Object.entries(limits)) {
      const finished = this.#jobs
        .filter((job) => finishedAs(job) === type && job.metadata.deletionTimestamp === undefined)
        .sort(byStart);
      for (const job of finished.slice(0, Math.max(0, finished.length - limit))) await this.#delete(job);
    }
  }

  async #delete(job: Job): Promise<void> {
    await this.#cluster.delete('jobs', job, { propagationPolicy: 'Background', uid: job.metadata.uid });
    this.#events.normal(this.#cronJob, 'SuccessfulDelete', `Deleted job ${job.metadata.name}`);
  }
}

function byStart(a: Job, b: Job): number {
  const start = ({ status, metadata }: Job) => status?.startTime ?? metadata.creationTimestamp ?? '';
  return start(a) < start(b) ? -1 : 1;
}

/** The last scheduled time after `earliest` and not after `now`. */
export function lastDue(schedule: Schedule, earliest: number, now: number): number | undefined {
  let last: number | undefined;
  let from = earliest;
  for (let missed = 0; ; missed++) {
    // After long downtime, the search continues close to the current time.
    if (missed === maxMissed) from = Math.max(from, now - 24 * 3_600_000);
    const next = schedule.next(from);
    if (next === undefined || next > now || missed > 20 * maxMissed) return last;
    last = next;
    from = next;
  }
}

/** The Job of a scheduled time: its name contains the time in minutes, so that it is created once. */
export function jobOf(cronJob: CronJob, due: number): WithoutTypeMeta<Job> {
  const { jobTemplate, timeZone } = cronJob.spec as batchV1.CronJobSpec;
  const { labels, annotations } = copyOf(jobTemplate.metadata ?? {});
  return {
    metadata: {
      name: `${cronJob.metadata.name}-${Math.floor(due / 60_000)}`,
      namespace: cronJob.metadata.namespace ?? '',
      labels: labels as Record<string, string>,
      annotations: { ...annotations, 'batch.kubernetes.io/cronjob-scheduled-timestamp': localTime(due, timeZone) },
      ownerReferences: [controllerRef(cronJob)],
    },
    spec: copyOf(jobTemplate.spec),
  } as WithoutTypeMeta<Job>;
}

/** RFC 3339 in the time zone of the schedule. */
function localTime(ms: number, timeZone = 'UTC'): string {
  if (timeZone === 'UTC' || timeZone === 'Etc/UTC') return formatTime(ms);
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  const offset = /GMT([+-][0-9]{2}):([0-9]{2})/.exec(format.format(ms));
  if (!offset) return formatTime(ms);
  const [, hours = '+00', minutes = '00'] = offset;
  const shift = (Number(hours) * 60 + (hours.startsWith('-') ? -1 : 1) * Number(minutes)) * 60_000;
  return `${formatTime(ms + shift).slice(0, -1)}${hours}:${minutes}`;
}
