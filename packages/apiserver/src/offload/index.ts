export { HeavyRequests, type LightLimits, lightLimits } from './heavy-requests.ts';
export type { AdmissionSample } from './job.ts';
export { type DerivationMessage, JobLoop, type JobParts } from './job-loop.ts';
export { type CacheCalls, cacheCalls, type EntryMessage, RemoteCache } from './remote-cache.ts';
export { type MainThread, mainThreadBehind, ownedBytes } from './thread-calls.ts';
export { type JobState, WorkerPool, type WorkerStart } from './worker-pool.ts';
