import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { hasCommand } from '../support/commands.ts';
import type { Workload } from './surroundings.ts';
import { namespace } from './workloads.ts';

const run = promisify(execFile);
const clientGo = fileURLToPath(new URL('../ecosystem/client-go', import.meta.url));
const buildMs = 600_000;

/** Workloads of third-party programs, if they are available. `folder` is writable. */
export function programs(folder: string, kubeconfig: string): readonly Workload[] {
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, kubeconfig);
  const program = join(folder, 'client-go');
  return [
    ...(hasCommand('kubectl') ? [kubectl(file, folder)] : []),
    ...(hasCommand('go') && builds(program) ? [informers(program, file), leaderElection(program, file)] : []),
  ];
}

function builds(program: string): boolean {
  return spawnSync('go', ['build', '-o', program, '.'], { cwd: clientGo, timeout: buildMs }).status === 0;
}

function kubectl(kubeconfig: string, folder: string): Workload {
  const manifest = join(folder, 'objects.yaml');
  writeFileSync(manifest, objects);
  const kubectlRuns = (...args: string[]) => run('kubectl', ['--kubeconfig', kubeconfig, '-n', namespace, ...args]);
  return {
    name: 'kubectl',
    everyMs: 10_000,
    async step() {
      await kubectlRuns('apply', '-f', manifest);
      await kubectlRuns('get', 'configmaps,deployments', '-o', 'wide');
      await kubectlRuns('annotate', '--overwrite', '-f', manifest, `at=${Date.now()}`);
      await kubectlRuns('describe', '-f', manifest);
      await kubectlRuns('delete', '-f', manifest, '--wait=true', '--timeout=30s');
    },
  };
}

const objects = `apiVersion: v1
kind: ConfigMap
metadata: { name: from-kubectl }
data: { a: "1" }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: from-kubectl }
spec:
  replicas: 0
  selector: { matchLabels: { app: k } }
  template:
    metadata: { labels: { app: k } }
    spec: { containers: [{ name: main, image: example.com/main }] }
`;

/** client-go informers of five kinds during writes; at the end each cache must equal a list. */
function informers(program: string, kubeconfig: string): Workload {
  return {
    name: 'client-go informers',
    everyMs: 60_000,
    step: () => trial(program, ['-kubeconfig', kubeconfig, '-duration', '15s', '-writers', '1', 'informers']),
  };
}

function leaderElection(program: string, kubeconfig: string): Workload {
  return {
    name: 'client-go leader election',
    everyMs: 60_000,
    step: () => trial(program, ['-kubeconfig', kubeconfig, '-rounds', '5', '-max-failover', '30s', 'leader-election']),
  };
}

async function trial(program: string, args: string[]): Promise<void> {
  const { stdout } = await run(program, args).catch((error) => ({ stdout: String(error.stdout ?? error) }));
  if (!stdout.startsWith('ok ')) throw new Error(stdout);
}
