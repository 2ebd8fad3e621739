import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { useServer } from '../support/server.ts';
import { createNode, createPod, healthy, kubeletCa, type StandInKubelet, startKubelet } from './stand-in-kubelets.ts';

/** `npm run test:metrics` runs 1,000 kubelets. */
const count = Number(process.env.METRICS_KUBELETS ?? 100);
const podsPerNode = 30;
const periodMs = count < 1000 ? 5_000 : 15_000;
const maxMiB = 200;
/** By default V8 lets young garbage grow. `npm run metrics-server` has the same setting, and docs/metrics.md recommends it. */
const heap = ['--max-semi-space-size=4'];

const program = fileURLToPath(new URL('../../apps/metrics-server/dist/bin.js', import.meta.url));

describe.skipIf(!existsSync(program))(`metrics-server with ${count} kubelets of ${podsPerNode} pods`, () => {
  // Controllers would make thirty thousand pods a test of themselves.
  const under = useServer({ controllers: [], disableAdmissionPlugins: ['ServiceAccount'] });
  const folder = mkdtempSync(join(tmpdir(), 'tsukube-metrics-'));
  const kubelets: StandInKubelet[] = [];
  let server: ChildProcess;
  let log = '';

  beforeAll(async () => {
    const each = async (i: number) => {
      const pods = Array.from({ length: podsPerNode }, (_, pod) => `default/pod-${i}-${pod}`);
      const kubelet = await startKubelet(healthy({ pods }));
      kubelets.push(kubelet);
      await createNode(under.client, `node-${i}`, kubelet.port);
      await Promise.all(pods.map((pod) => createPod(under.client, pod, `node-${i}`)));
    };
    for (let i = 0; i < count; i += 10) await Promise.all(Array.from({ length: Math.min(10, count - i) }, (_, j) => each(i + j)));
    writeFileSync(join(folder, 'kubeconfig'), under.server.kubeconfig, { mode: 0o600 });
    writeFileSync(join(folder, 'ca.crt'), kubeletCa);
    const flags = ['--kubeconfig', join(folder, 'kubeconfig'), '--bind-address', '127.0.0.1', '--secure-port', '0'];
    const kubelet = ['--kubelet-certificate-authority', join(folder, 'ca.crt'), '--metric-resolution', `${periodMs}ms`];
    server = spawn(process.execPath, [...heap, program, ...flags, ...kubelet], { stdio: ['ignore', 'ignore', 'pipe'] });
    server.stderr?.on('data', (chunk) => {
      log = (log + chunk).slice(-10_000);
    });
  }, 1_200_000);
  afterAll(async () => {
    server?.kill();
    await Promise.all(kubelets.map((kubelet) => kubelet.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  const list = async (path: string): Promise<unknown[]> => {
    const { status, text } = await under.client.send('GET', `/apis/metrics.k8s.io/v1beta1/${path}`);
    // The APIService is not available at once.
    return status === 200 ? JSON.parse(text).items : [];
  };
  const peakMiB = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'latin1'))?.[1]) / 1024;

  it('scrapes all of them within a period, in bounded memory', async () => {
    const scraped = (times: number) => kubelets.filter(({ requests }) => requests >= times).length;
    await vi.waitFor(() => expect(scraped(2), log).toBe(count), { timeout: 60_000, interval: 50 });
    await vi.waitFor(async () => expect(await list('nodes'), log).toHaveLength(count), { timeout: 60_000, interval: 500 });
    const before = kubelets.map(({ requests }) => requests);
    const began = performance.now();
    const isAgain = () => kubelets.every(({ requests }, i) => requests > (before[i] as number));
    await vi.waitFor(() => expect(isAgain()).toBe(true), { timeout: 2 * periodMs + 5_000, interval: 20 });
    // The period may have begun up to its length after the count.
    expect(performance.now() - began).toBeLessThan(2 * periodMs);
    await vi.waitFor(async () => expect(await list('nodes')).toHaveLength(count), { timeout: 30_000, interval: 200 });
    const scraping = peakMiB();
    // The list of all pods is one response; its memory is that of the client's question, not of scraping.
    expect(await list('pods')).toHaveLength(count * podsPerNode);
    console.info(
      `${count} kubelets: peak memory ${Math.round(scraping)} MiB, ${Math.round(peakMiB())} MiB with a list of all pods`,
    );
    expect(scraping).toBeLessThan(maxMiB);
    expect(log).not.toContain('failed to scrape');
  }, 240_000);
});
