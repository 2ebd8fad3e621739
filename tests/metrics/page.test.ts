import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { codeBlocks, readDocument } from '../docs/documents.ts';
import { kubectls } from '../kubectl/versions.ts';
import { notBuilt, type ServerProcess, spawnServer } from '../support/server-process.ts';

const kubectl = kubectls.at(-1);
const transcript = codeBlocks(readDocument('docs/metrics.md'), 'console')
  .map(({ code }) => code)
  .join('');
const exchanges = transcript
  .split(/^\$ /m)
  .slice(1)
  .map((text) => {
    const [command = '', ...lines] = text.trimEnd().split('\n');
    return [command, lines] as const;
  });

/** The form of each line of output; the last one is that of all further lines. */
const shapes: Readonly<Record<string, readonly RegExp[]>> = {
  'kubectl top node': [/^NAME +CPU\(cores\) +CPU\(?%\)? +MEMORY\(bytes\) +MEMORY\(?%\)?$/, /^\S+ +\d+m +\d+% +\d+Mi +\d+%$/],
  'kubectl top pod -A --containers --sort-by=cpu': [
    /^NAMESPACE +POD +NAME +CPU\(cores\) +MEMORY\(bytes\)$/,
    /^default +[a-z0-9-]+-\d+-[a-z0-9-]+ +[a-z0-9-]+ +\d+m +\d+Mi$/,
  ],
  'kubectl get apiservices v1beta1.metrics.k8s.io': [
    /^NAME +SERVICE +AVAILABLE +AGE$/,
    /^v1beta1\.metrics\.k8s\.io +kube-system\/metrics-server +True +\d+[ms]\d*s?$/,
  ],
  'kubectl get pods.metrics.k8s.io': [/^NAME +CPU +MEMORY +WINDOW$/, /^\S+ +\d+[num]? +\d+[KM]i +[\d.]+s$/],
  'kubectl get --raw /apis/metrics.k8s.io/v1beta1/nodes/': [
    /^\{"kind":"NodeMetricsList",.*"timestamp":"[-\dT:]+Z","window":"[\d.]+s","usage":\{"cpu":"\d+[num]?","memory":"\d+[KMG]i"\}\}\]\}$/,
  ],
};

function check(lines: readonly string[], forms: readonly RegExp[]): void {
  expect(lines.length).toBeGreaterThanOrEqual(forms.length);
  lines.forEach((line, i) => {
    expect(line.trimEnd()).toMatch((forms[i] ?? forms.at(-1)) as RegExp);
  });
}

describe.skipIf(notBuilt || !kubectl)('docs/metrics.md: tsukube serve --metrics', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-metrics-page-'));
  let server: ServerProcess;
  beforeAll(async () => {
    server = spawnServer(folder, '--metrics');
    await server.ready;
  });
  afterAll(async () => {
    await server?.kill();
    rmSync(folder, { recursive: true, force: true });
  });
  const run = async (command: string) => {
    const args = ['--kubeconfig', join(folder, 'admin.kubeconfig'), ...command.split(' ').slice(1)];
    const { stdout } = await promisify(execFile)((kubectl as { path: string }).path, args, { timeout: 20_000 });
    return stdout.trimEnd().split('\n');
  };

  it('has figures within 30 seconds', async () => {
    await vi.waitFor(async () => check(await run('kubectl top pod -A'), [/^NAMESPACE/, /^default/]), {
      timeout: 30_000,
      interval: 250,
    });
  }, 40_000);

  it.each(exchanges)('$ %s', async (command, lines) => {
    const forms = shapes[command] ?? [];
    expect(forms).not.toEqual([]);
    check(lines, forms);
    check(await run(command), forms);
  });

  it('serves the metrics of one pod', async () => {
    const [, row] = await run('kubectl get pods.metrics.k8s.io');
    const name = row?.split(' ')[0];
    const [text] = await run(`kubectl get --raw /apis/metrics.k8s.io/v1beta1/namespaces/default/pods/${name}`);
    const { kind, metadata, containers } = JSON.parse(text ?? '');
    expect({ kind, name: metadata.name }).toEqual({ kind: 'PodMetrics', name });
    for (const { usage } of containers) expect(Object.keys(usage)).toEqual(['cpu', 'memory']);
  });

  it('stops with the mirror pods and registrations it made', async () => {
    expect(await server.stop()).toBe(0);
    server = spawnServer(folder);
    await server.ready;
    expect(await run('kubectl get pods -A -o name')).toEqual(['']);
    expect((await run('kubectl get apiservices')).join('\n')).not.toContain('metrics');
  });
});
