export { cacheCalls } from './cache-calls.ts';
export { HeavyRequests } from './heavy-requests.ts';
export type { AdmissionSample } from './job.ts';
export { type DerivationMessage, JobLoop, type JobParts } from './job-loop.ts';
export { type CacheCalls, type EntryMessage, RemoteCache } from './remote-cache.ts';
export { type MainThread, mainThreadBehind, ownedBytes } from './thread-calls.ts';
export { type LightLimits, lightLimits } from './weight.ts';
export { type JobState, WorkerPool, type WorkerStart } from './worker-pool.ts';
