import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { notBuilt } from '../support/server-process.ts';
import { startWorkerServer, type WorkerServer } from '../support/worker-server.ts';
import { recordedOptions, replayAll } from './replay.ts';

/** Few recordings in `npm test`; all with GOLDEN_WORKERS=all. */
const prefixes =
  process.env.GOLDEN_WORKERS === 'all' ? [''] : ['apply', 'crd/versions', 'lifecycle', 'lists', 'patch', 'watch', 'write'];

describe.skipIf(notBuilt || process.platform !== 'linux')('recorded answers of kube-apiserver, served by two processes', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tsukube-golden-'));
  let server: WorkerServer;
  beforeAll(async () => {
    const controllers = `--controllers=${recordedOptions.controllers.join(',')}`;
    server = await startWorkerServer(dataDir, 2, { args: ['--runtime-config=api/legacy=false', controllers] });
  });
  afterAll(async () => {
    await server?.process.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  replayAll(() => server.kubeconfig, prefixes);
});
