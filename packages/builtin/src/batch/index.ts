import type { Resource } from '@tsukube/apiserver';
import { cronJob } from './cron-job.ts';
import { job } from './job.ts';

export { cronJob, job };

export const batchResources: readonly Resource[] = [cronJob, job];
