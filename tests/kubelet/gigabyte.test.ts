import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectingKubectls } from '../kubectl/versions.ts';
import { useNode } from './setup.ts';

/** A gigabyte with TSUKUBE_LONG=1. */
const bytes = process.env.TSUKUBE_LONG === undefined ? 64 << 20 : 1 << 30;
/** Allowance for buffers between the ends, and for uncollected garbage. */
const maxGrowth = 200 << 20;

/** Listeners that are added for each chunk, and never removed, are reported as warnings. */
const warnings: string[] = [];
const onWarning = ({ name, message }: Error) => warnings.push(`${name}: ${message}`);
beforeAll(() => void process.on('warning', onWarning));
afterAll(() => {
  process.off('warning', onWarning);
  expect(warnings.filter((text) => text.startsWith('MaxListeners'))).toEqual([]);
});

describe.each(connectingKubectls.map(({ version, path }) => [version, path] as const))(
  'kubectl %s',
  { timeout: 300_000 },
  (_version, path) => {
    const t = useNode({
      intercept(request, response) {
        if (!request.url?.startsWith('/containerLogs/')) return false;
        const piece = Buffer.alloc(1 << 20, `${'x'.repeat(4095)}\n`);
        let left = bytes;
        const write = () => {
          while (left > 0) {
            left -= piece.length;
            if (!response.write(piece)) return void response.once('drain', write);
          }
          response.end();
        };
        write();
        return true;
      },
    });
    const folder = mkdtempSync(join(tmpdir(), 'tsukube-gigabyte-'));
    beforeAll(() => writeFileSync(join(folder, 'kubeconfig'), t.kubeconfig, { mode: 0o600 }));
    afterAll(() => rmSync(folder, { recursive: true }));

    const shell = (script: string) => {
      const env = { ...process.env, KUBECONFIG: join(folder, 'kubeconfig'), HOME: folder, kubectl: `${path} -n ${t.namespace}` };
      return spawn('sh', ['-c', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    };

    async function run(script: string): Promise<string> {
      const child = shell(script);
      let text = '';
      child.stdout.on('data', (piece: Buffer) => (text += piece));
      await new Promise((resolve) => child.once('close', resolve));
      return text.trim();
    }

    /** The largest growth of resident memory while the work is done. */
    async function growthDuring(work: () => Promise<void>): Promise<number> {
      const before = process.memoryUsage().rss;
      let most = before;
      const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 50);
      await work();
      clearInterval(timer);
      return most - before;
    }

    it.each([
      ['out of exec', `$kubectl exec web -- head -c ${bytes} /dev/zero | wc -c`],
      ['into exec', `head -c ${bytes} /dev/zero | $kubectl exec -i web -- wc -c`],
      ['of logs', '$kubectl logs web | wc -c'],
    ])('passes them %s at flat memory', async (_what, script) => {
      const growth = await growthDuring(async () => expect(await run(script)).toBe(String(bytes)));
      expect(growth).toBeLessThan(maxGrowth);
    });

    it('passes them through port-forward at flat memory', async () => {
      const target = createServer((_request, response) => {
        const source = spawn('head', ['-c', String(bytes), '/dev/zero']);
        source.stdout.pipe(response);
      });
      await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
      const child = shell(`exec $kubectl port-forward web :${(target.address() as AddressInfo).port}`);
      let text = '';
      child.stdout.on('data', (piece: Buffer) => (text += piece));
      await expect.poll(() => text, { timeout: 10_000 }).toMatch(/127.0.0.1:(\d+)/);
      const growth = await growthDuring(async () =>
        expect(await received(Number(/127.0.0.1:(\d+)/.exec(text)?.[1]))).toBe(bytes),
      );
      expect(growth).toBeLessThan(maxGrowth);
      child.kill();
      target.close();
    });
  },
);

function received(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', agent: false }, (response) => {
      let length = 0;
      response.on('data', (piece: Buffer) => (length += piece.length));
      response.on('end', () => resolve(length));
    }).on('error', reject);
  });
}
