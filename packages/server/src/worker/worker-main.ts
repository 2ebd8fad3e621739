import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { JobLoop, mainThreadBehind, type WorkerStart } from '@tsukube/apiserver';
import { type WorkerOptions, workerApi } from './worker-api.ts';
import type { WorkerCalls } from './worker-calls.ts';

/** Serves the requests that the main thread sends to this worker. */
export function serveInWorker(): void {
  const { ports, data } = workerData as WorkerStart<WorkerOptions>;
  const loop = new JobLoop(parentPort as MessagePort);
  loop.serve(workerApi(data, mainThreadBehind<WorkerCalls>(ports), loop));
}
