import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { HistoryTrial } from '../replicas/history-trial.ts';
import { type Random, seeded } from '../support/random.ts';
import { notBuilt } from '../support/server-process.ts';
import { startWorkerServer, until, type WorkerServer } from '../support/worker-server.ts';

const seed = Number(process.env.WORKERS_SEED ?? 1);
const seconds = Number(process.env.WORKERS_SECONDS ?? 5);
const count = Number(process.env.WORKERS_COUNT ?? 3);

let folder: string;
let server: WorkerServer | undefined;
let trial: HistoryTrial | undefined;

afterEach(async () => {
  await trial?.abandon();
  await server?.process.kill();
  rmSync(folder, { recursive: true, force: true });
});

/** Kills a worker, which is restarted; or process 0, with which all end, and starts the server again. */
async function disturb(round: number, port: number, random: Random): Promise<void> {
  const running = server as WorkerServer;
  const workers = running.workers();
  if (round % 3 === 0) {
    await running.process.kill();
    server = await startWorkerServer(folder, count, { port });
    return;
  }
  const killed = workers[random(workers.length)] as number;
  process.kill(killed, 'SIGKILL');
  const isReplaced = () => running.workers().length === count - 1 && !running.workers().includes(killed);
  await until(isReplaced, 'the worker is restarted');
}

describe.skipIf(notBuilt || process.platform !== 'linux')(`a server with ${count} processes that are killed`, () => {
  it('loses no acknowledged write and stays linearizable', { timeout: 90_000 + seconds * 3_000 }, async () => {
    const random = seeded(seed);
    folder = mkdtempSync(join(tmpdir(), 'tsukube-workers-'));
    server = await startWorkerServer(folder, count);
    const port = Number(/server: https:\/\/[^:]+:(\d+)/.exec(server.kubeconfig)?.[1]);
    trial = new HistoryTrial(server.kubeconfig, random);
    await trial.begin(16);
    const summary = await trial.run(seconds, 100, (round) => disturb(round, port, random));
    console.log(`workers: ${summary}; seed ${seed}`);
    expect(await server.process.stop()).toBe(0);
    trial = undefined;
  });
});
