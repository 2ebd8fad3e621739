import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { placeOf } from '../docs/documents.ts';
import { useWorkplace } from '../kubectl/terminal.ts';
import { kubectls } from '../kubectl/versions.ts';
import { useServer } from '../support/server.ts';
import { type ExampleProcess, startProgram } from './example-process.ts';

const kubectl = kubectls.at(-1);

describe.skipIf(!kubectl)('examples of aggregated API servers', () => {
  const t = useServer();
  const workplace = useWorkplace(kubectl as NonNullable<typeof kubectl>, () => t.server.kubeconfig);
  const run = (command: string) => workplace.terminal('default').run(command);
  const programs: ExampleProcess[] = [];
  beforeAll(async () => {
    const { KUBECONFIG } = workplace.shell('default').env;
    for (const name of ['mypod', 'host-metrics', 'virtual-machines'])
      programs.push(await startProgram(placeOf(`examples/api-servers/${name}/server.ts`), { KUBECONFIG }));
  });
  afterAll(async () => {
    expect(await Promise.all(programs.map((program) => program.stop()))).toEqual([0, 0, 0]);
  });

  it('mypod: a constant list', async () => {
    expect(await run('kubectl get mypod')).toBe('NAME     AGE\nfirst    <unknown>\nsecond   <unknown>\nthird    <unknown>\n');
    expect(await run("kubectl get mypod second -o jsonpath='{.kind} {.spec.image}'")).toBe('MyPod nginx:1.27\n');
    expect(await run('kubectl get mypod fourth')).toContain('(NotFound): mypods.mypod.example.com "fourth" not found');
    expect(await run('kubectl get mypod -n kube-system')).toContain('No resources found in kube-system namespace.');
    expect(await run('kubectl delete mypod first')).toContain('(MethodNotAllowed)');
    expect(await run('kubectl get mypod --as jane')).toContain(
      '(Forbidden): mypods.mypod.example.com is forbidden: User "jane" cannot list resource "mypods"',
    );
    expect(await run('kubectl explain mypod.spec.image')).toContain('FIELD: image <string>');
  });

  it('host-metrics: figures of this moment', async () => {
    const name = hostname().toLowerCase();
    const columns = (await run('kubectl get hostmetrics')).split('\n').map((line) => line.split(/ {2,}/));
    expect(columns[0]).toEqual(['NAME', 'LOAD', 'CORES', 'MEMORY', 'AGE']);
    expect(columns[1]?.[0]).toBe(name);
    expect(columns[1]?.[3]).toMatch(/^\d+\/\d+ MiB free$/);
    const uptime = async () => Number(await run(`kubectl get hostmetrics ${name} -o jsonpath='{.uptimeSeconds}'`));
    const first = await uptime();
    await expect.poll(uptime, { timeout: 10_000 }).toBeGreaterThan(first);
  });

  const machines = '/apis/vm.example.com/v1/namespaces/default/virtualmachines';

  it('virtual-machines: subresources that act', async () => {
    const manifest = JSON.stringify({
      apiVersion: 'vm.example.com/v1',
      kind: 'VirtualMachine',
      metadata: { name: 'db' },
      spec: { cores: 2 },
    });
    expect(await run(`echo '${manifest}' | kubectl apply -f -`)).toContain('virtualmachine.vm.example.com/db created');
    const act = (verb: string) => run(`echo '{}' | kubectl replace --raw ${machines}/db/${verb} -f -`);
    const phase = async () => (await run('kubectl get vm db --no-headers')).split(/ +/)[2];
    expect(await phase()).toBe('Stopped');
    expect(await act('pause')).toContain('db is Stopped, not Running');
    for (const [verb, expected] of [
      ['start', 'Running'],
      ['pause', 'Paused'],
      ['start', 'Running'],
      ['stop', 'Stopped'],
    ] as const) {
      expect(JSON.parse(await act(verb)).status.phase).toBe(expected);
      expect(await phase()).toBe(expected);
    }
    expect(await run(`echo '{}' | kubectl replace --raw ${machines}/db/start -f - --as jane`)).toContain('Forbidden');
  });

  it('virtual-machines: a console over WebSocket, through the aggregator', async () => {
    await run(
      `echo '{"apiVersion":"vm.example.com/v1","kind":"VirtualMachine","metadata":{"name":"web"},"spec":{"cores":1}}' | kubectl apply -f -`,
    );
    const { url, tls } = t.client;
    const open = () => new WebSocket(`${url.replace('https:', 'wss:')}${machines}/web/console`, tls);
    const closed = open();
    const [code, reason] = await new Promise<[number, string]>((resolve) =>
      closed.on('close', (number, text) => resolve([number, text.toString()])),
    );
    expect([code, reason]).toEqual([1008, 'web is not running']);
    await run(`echo '{}' | kubectl replace --raw ${machines}/web/start -f -`);
    const socket = open();
    const lines: string[] = [];
    await new Promise<void>((resolve, reject) => {
      socket.on('message', (line) => {
        lines.push(line.toString());
        if (lines.length === 1) socket.send('uname');
        else resolve();
      });
      socket.on('error', reject);
      socket.on('close', (number) => reject(new Error(`closed with ${number}`)));
    });
    socket.close();
    expect(lines).toEqual(['web login: admin', 'web: uname']);
  });
});

it('the examples pass the type checker', { timeout: 60_000 }, () => {
  const args = [placeOf('node_modules/typescript/bin/tsc'), '-p', placeOf('examples/api-servers')];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect({ status, stdout }).toEqual({ status: 0, stdout: '' });
});
