import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Client, clientFor } from './client.ts';
import { launchServer, type ServerProcess } from './server-process.ts';

/** A server with several processes. */
export interface WorkerServer {
  readonly pid: number;
  readonly kubeconfig: string;
  readonly process: ServerProcess;
  /** The process ids of the workers, without process 0. */
  workers(): readonly number[];
  /** The process id of the worker with an index that became ready last. */
  pidOf(index: number): number;
}

const startMs = 20_000;

/** Starts `tsukube serve --workers` and waits until all processes serve. */
export async function startWorkerServer(
  dataDir: string,
  count: number,
  { port = 0, args = [], quiet = true }: { port?: number; args?: readonly string[]; quiet?: boolean } = {},
): Promise<WorkerServer> {
  const process = launchServer({ dataDir, args: [`--workers=${count}`, `--secure-port=${port}`, ...args], quiet });
  const kubeconfig = await process.ready;
  const client = clientFor(kubeconfig);
  const isComplete = async () => servingWorkers((await client.get('/metrics')).text).length === count;
  await until(isComplete, 'all workers are ready').finally(() => client.close());
  const workers = () => childrenOf(process.pid);
  return { pid: process.pid, kubeconfig, process, workers, pidOf: (index) => loggedPid(dataDir, index) };
}

/** Process 0 logs when a worker is ready. */
function loggedPid(dataDir: string, index: number): number {
  const log = readFileSync(join(dataDir, 'logs', 'tsukube.log'), 'utf8');
  const lines = [...log.matchAll(new RegExp(`a worker process is ready worker=${index} pid=(\\d+)`, 'g'))];
  return Number(lines.at(-1)?.[1]);
}

/** The indexes of the processes in a scrape. */
export function servingWorkers(metrics: string): number[] {
  return [...metrics.matchAll(/^process_start_time_seconds\{worker="(\d+)"\}/gm)].map(([, index]) => Number(index));
}

/** A client whose only connection is to the process with an index. */
export async function clientOf(kubeconfig: string, index: number): Promise<Client> {
  const others: Client[] = [];
  try {
    // The process with the fewest connections gets the next one, so the others stay open meanwhile.
    for (const deadline = performance.now() + startMs; performance.now() < deadline; ) {
      const client = clientFor(kubeconfig);
      const { headers } = await client.get('/version');
      if (headers['x-tsukube-worker'] === String(index)) return client;
      others.push(client);
    }
    throw new Error(`no connection was given to worker ${index}`);
  } finally {
    for (const client of others) client.close();
  }
}

export async function until(isTrue: () => boolean | Promise<boolean>, what: string, timeoutMs = startMs): Promise<void> {
  for (const deadline = performance.now() + timeoutMs; !(await isTrue()); await pause(20))
    if (performance.now() > deadline) throw new Error(`not true within ${timeoutMs / 1000} s: ${what}`);
}

/** Linux only. */
export function childrenOf(pid: number): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]) === pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
