import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectingKubectls, missingKubectls } from '../kubectl/versions.ts';
import type { Any } from '../support/client.ts';
import { hasCommand } from '../support/commands.ts';
import { ContainerLog } from '../support/kubelet/index.ts';
import { useNode } from './setup.ts';

interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const hasPython = spawnSync('python3', ['--version']).status === 0;

describe.each(missingKubectls)('%s', () => {
  it.skip('logs, exec, attach, cp, port-forward, proxy, debug', () => {});
});

describe.each(connectingKubectls.map((kubectl) => [kubectl.version, kubectl.path] as const))(
  'kubectl %s',
  { timeout: 60_000 },
  (version, path) => {
    const minor = Number(version.split('.')[1]);
    const t = useNode();
    const folder = mkdtempSync(join(tmpdir(), 'tsukube-kubelet-'));
    const children = new Set<ChildProcess>();
    beforeAll(() => {
      writeFileSync(join(folder, 'kubeconfig'), t.kubeconfig, { mode: 0o600 });
      const now = Date.now();
      const lines = ['first', 'second', 'third'].map((text, i) => ({ at: now - (2 - i) * 3_600_000, text }));
      t.kubelet.logs.set(`${t.namespace}/web/c`, new ContainerLog(lines));
      t.kubelet.logs.set(`${t.namespace}/web/c/previous`, new ContainerLog([{ at: now, text: 'before' }]));
    });
    afterAll(() => {
      for (const child of children) child.kill('SIGKILL');
      rmSync(folder, { recursive: true });
    });

    function start(parameters: readonly string[], program = path): ChildProcess {
      const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder };
      const child = spawn(program, parameters, { env, cwd: folder });
      children.add(child);
      child.once('close', () => children.delete(child));
      child.stdin?.on('error', () => {});
      return child;
    }

    async function finish(child: ChildProcess, input: string | Buffer = ''): Promise<Outcome> {
      const out: Buffer[] = [];
      const problems: Buffer[] = [];
      child.stdout?.on('data', (piece: Buffer) => out.push(piece));
      child.stderr?.on('data', (piece: Buffer) => problems.push(piece));
      child.stdin?.end(input);
      const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
      return { code, stdout: Buffer.concat(out).toString('latin1'), stderr: Buffer.concat(problems).toString() };
    }

    const kubectl = (parameters: readonly string[], input?: string | Buffer) =>
      finish(start(['-n', t.namespace, ...parameters]), input);
    const sh = (script: string, ...options: string[]) => kubectl(['exec', ...options, 'web', '--', 'sh', '-c', script]);

    it.each<[string[], string]>([
      [['web'], 'first\nsecond\nthird\n'],
      [['web', '--tail=2'], 'second\nthird\n'],
      [['web', '--since=90m'], 'second\nthird\n'],
      [['web', '--previous'], 'before\n'],
      [['web', '--limit-bytes=5'], 'first'],
    ])('logs %j', async (parameters, text) => {
      expect(await kubectl(['logs', ...parameters])).toEqual({ code: 0, stdout: text, stderr: '' });
    });

    it('logs -f', async () => {
      const child = start(['-n', t.namespace, 'logs', '-f', '--tail=1', 'web']);
      let text = '';
      child.stdout?.on('data', (piece: Buffer) => (text += piece));
      await expect.poll(() => text, { timeout: 10_000 }).toBe('third\n');
      const log = t.kubelet.logs.get(`${t.namespace}/web/c`) as ContainerLog;
      log.append('fourth');
      await expect.poll(() => text, { timeout: 10_000 }).toBe('third\nfourth\n');
      child.kill();
      await expect.poll(() => log.followers, { timeout: 10_000 }).toBe(0);
    });

    it('exec separates output and errors, and returns the exit code', async () => {
      expect(await sh('echo out; echo err >&2')).toEqual({ code: 0, stdout: 'out\n', stderr: 'err\n' });
      const failed = await sh('echo partly; exit 42');
      expect([failed.code, failed.stdout, failed.stderr]).toEqual([42, 'partly\n', 'command terminated with exit code 42\n']);
    });

    it('exec -i passes standard input and its end', async () => {
      expect(await kubectl(['exec', '-i', 'web', '--', 'sh', '-c', 'wc -c; exit 3'], 'x'.repeat(200_000))).toMatchObject({
        code: 3,
        stdout: expect.stringContaining('200000'),
      });
      expect(await kubectl(['exec', '-i', 'web', '--', 'cat'])).toEqual({ code: 0, stdout: '', stderr: '' });
    });

    it('exec passes every byte both ways', async () => {
      const bytes = randomBytes(1_500_000);
      const { code, stdout } = await kubectl(['exec', '-i', 'web', '--', 'cat'], bytes);
      expect([code, Buffer.from(stdout, 'latin1').equals(bytes)]).toEqual([0, true]);
    });

    it.runIf(hasPython && hasCommand('script'))('exec -it has a terminal of the right size', async () => {
      const command = `stty rows 33 cols 77; ${path} -n ${t.namespace} exec -it web -- sh -c 'sleep 0.5; stty size; tty; exit 5'; echo code $?`;
      const { stdout } = await finish(start(['-qec', command, '/dev/null'], 'script'));
      expect(stdout).toContain('33 77');
      expect(stdout).toMatch(/\/dev\/pts\/\d+/);
      expect(stdout).toContain('code 5');
    });

    it('attach connects to the process', async () => {
      t.kubelet.attached = ['sh', '-c', 'read line; echo got $line; echo oops >&2'];
      const { code, stdout, stderr } = await kubectl(['attach', '-i', 'web', '-c', 'c'], 'hello\n');
      expect([code, stdout]).toEqual([0, 'got hello\n']);
      expect(stderr).toContain('oops\n');
    });

    it.runIf(hasCommand('tar'))('cp copies both ways', async () => {
      const remote = mkdtempSync(join(tmpdir(), 'tsukube-remote-'));
      const bytes = randomBytes(700_000);
      writeFileSync(join(folder, 'up'), bytes);
      const up = await kubectl(['cp', 'up', `${t.namespace}/web:${remote}/there`]);
      expect(up).toMatchObject({ code: 0 });
      expect(readFileSync(join(remote, 'there')).equals(bytes)).toBe(true);
      const down = await kubectl(['cp', `${t.namespace}/web:${remote}/there`, 'down']);
      expect(down).toMatchObject({ code: 0 });
      expect(readFileSync(join(folder, 'down')).equals(bytes)).toBe(true);
      rmSync(remote, { recursive: true });
    });

    it('port-forward serves concurrent connections', async () => {
      const target = createServer((request, response) => response.end(`${request.url} ${'x'.repeat(100_000)}`));
      await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
      const { port } = target.address() as AddressInfo;
      const child = start(['-n', t.namespace, 'port-forward', 'web', `:${port}`]);
      let text = '';
      child.stdout?.on('data', (piece: Buffer) => (text += piece));
      await expect.poll(() => text, { timeout: 10_000 }).toMatch(/127.0.0.1:(\d+)/);
      const local = Number(/127.0.0.1:(\d+)/.exec(text)?.[1]);
      const fetched = await Promise.all(Array.from({ length: 20 }, (_, i) => fetchText(`http://127.0.0.1:${local}/${i}`)));
      expect(fetched.map((body, i) => body === `/${i} ${'x'.repeat(100_000)}`)).toEqual(Array(20).fill(true));
      child.kill();
      target.closeAllConnections();
      target.close();
      await expect.poll(() => [...t.kubelet.connections].length, { timeout: 10_000 }).toBe(0);
      const { text: metrics } = await t.client.get('/metrics');
      // kubectl falls back to SPDY without a word.
      const tunnels = Number(/apiserver_stream_tunnel_requests_total\{code="101"\} (\d+)/.exec(metrics)?.[1] ?? 0);
      expect(tunnels).toBe(minor >= 31 ? 1 : 0);
    });

    it('proxy serves the API, follows logs and upgrades', async () => {
      const child = start(['proxy', '--port=0', '--reject-methods=^$', '--reject-paths=^$']);
      let text = '';
      child.stdout?.on('data', (piece: Buffer) => (text += piece));
      await expect.poll(() => text, { timeout: 10_000 }).toMatch(/127.0.0.1:(\d+)/);
      const base = `http://127.0.0.1:${/127.0.0.1:(\d+)/.exec(text)?.[1]}`;
      expect(JSON.parse(await fetchText(`${base}${t.pods}/web`))).toMatchObject({ kind: 'Pod', metadata: { name: 'web' } });
      expect(await fetchText(`${base}${t.pods}/web/log?previous=true`)).toBe('before\n');
      const through = ['-s', base, '-n', t.namespace, 'exec', '-i', 'web', '--', 'cat'];
      expect(await finish(start(through), 'through both')).toEqual({ code: 0, stdout: 'through both', stderr: '' });
      child.kill();
    });

    it('debug copies a pod, and creates a pod on a node', async () => {
      const copied = await kubectl(['debug', 'web', '--copy-to=copy', '--image=busybox', '--attach=false', '-c', 'debugger']);
      expect(copied).toMatchObject({ code: 0 });
      const { body: copy } = await t.client.get(`${t.pods}/copy`);
      expect(copy.spec.containers.map(({ name }: { name: string }) => name)).toEqual(['c', 'debugger']);
      const onNode = await kubectl(['debug', `node/${t.node}`, '--image=busybox', '--attach=false']);
      expect(onNode).toMatchObject({ code: 0 });
      const { body: pods } = await t.client.get(t.pods);
      const debuggers = pods.items.filter(({ metadata }: Any) => metadata.name.startsWith('node-debugger-'));
      expect(debuggers.map(({ spec }: Any) => [spec.nodeName, spec.hostPID])).toEqual([[t.node, true]]);
    });

    // Older ones use an API of ephemeral containers that Kubernetes has removed.
    if (minor >= 23) {
      it('debug attaches to an ephemeral container', async () => {
        t.kubelet.attached = ['sh', '-c', 'read line; echo debugged $line'];
        const debugging = kubectl(['debug', 'web', '-i', '--image=busybox', '-c', 'debugger', '--target=c', '--', 'sh'], 'it\n');
        const containers = async () => (await t.client.get(`${t.pods}/web`)).body.spec.ephemeralContainers;
        await expect.poll(containers, { timeout: 10_000 }).toMatchObject([{ name: 'debugger', targetContainerName: 'c' }]);
        const state = { running: { startedAt: '2026-01-01T00:00:00Z' } };
        const container = { name: 'debugger', ready: true, restartCount: 0, image: 'busybox', imageID: 'i', state };
        const patch = { status: { ephemeralContainerStatuses: [container] } };
        const headers = { 'content-type': 'application/merge-patch+json' };
        expect((await t.client.send('PATCH', `${t.pods}/web/status`, patch, headers)).status).toBe(200);
        const { code, stdout } = await debugging;
        expect([code, stdout.split('\n').at(-2)]).toEqual([0, 'debugged it']);
        expect(t.kubelet.seen.at(-1)?.url).toBe(`/attach/${t.namespace}/web/debugger?error=1&input=1&output=1`);
      });
    }

    it('reports errors of the kubelet', async () => {
      const { code, stderr } = await kubectl(['exec', 'web', '-c', 'nope', '--', 'true']);
      expect([code, stderr]).toEqual([1, expect.stringContaining('container nope is not valid for pod web')]);
    });

    it('uses the protocol of its version', async () => {
      t.kubelet.seen.length = 0;
      await sh('true');
      const { method, headers, url } = t.kubelet.seen.at(-1) ?? {};
      expect([method, headers?.upgrade]).toEqual(['POST', 'SPDY/3.1']);
      expect(url).toBe(`/exec/${t.namespace}/web/c?command=sh&command=-c&command=true&error=1&output=1`);
      const offersV5 = String(headers?.['x-stream-protocol-version']).includes('v5');
      expect(offersV5).toBe(minor >= 30);
    });
  },
);

function fetchText(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece));
      response.on('end', () => resolve(text));
    }).on('error', reject);
  });
}
