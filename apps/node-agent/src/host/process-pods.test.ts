import { describe, expect, it } from 'vitest';
import { Proc } from './proc.ts';
import { ProcessPods } from './process-pods.ts';

const process = (pid: number, program: string, session: number, cpuSeconds: number, startMs = 0, residentBytes = 1000) => ({
  pid,
  program,
  session,
  cpuSeconds,
  residentBytes,
  startMs,
});

const open = (maxPods = 10) => new ProcessPods({ nodeName: 'host', maxPods, minAgeMs: 10_000 });
const summary = (pods: ReturnType<ProcessPods['sample']>) =>
  Object.fromEntries(pods.map(({ name, containers }) => [name, containers.map((each) => [each.name, each.cpuSeconds])]));

describe('sessions as pods', () => {
  it('groups processes by session and program', () => {
    const processes = [process(10, 'bash', 10, 1), process(11, 'Web Content', 10, 2), process(12, 'Web Content', 10, 3)];
    expect(summary(open().sample(processes, 20_000))).toEqual({
      'bash-10-host': [
        ['bash', 1],
        ['web-content', 5],
      ],
    });
  });

  it('counters grow although processes end, and take the CPU of new ones', () => {
    const pods = open();
    pods.sample([process(10, 'bash', 10, 1), process(11, 'cc', 10, 50)], 20_000);
    expect(summary(pods.sample([process(10, 'bash', 10, 2), process(12, 'cc', 10, 3, 15_000)], 30_000))).toEqual({
      'bash-10-host': [
        ['bash', 2],
        ['cc', 53],
      ],
    });
  });

  it('a reused pid is another process', () => {
    const pods = open();
    pods.sample([process(10, 'bash', 10, 1), process(11, 'cc', 10, 50)], 20_000);
    expect(summary(pods.sample([process(10, 'bash', 10, 1), process(11, 'cc', 10, 1, 25_000)], 30_000))['bash-10-host']).toEqual([
      ['bash', 1],
      ['cc', 51],
    ]);
  });

  it('programs that start later count for the leader', () => {
    const pods = open();
    pods.sample([process(10, 'bash', 10, 1)], 20_000);
    expect(summary(pods.sample([process(10, 'bash', 10, 1), process(11, 'ls', 10, 2, 25_000)], 30_000))).toEqual({
      'bash-10-host': [['bash', 3]],
    });
  });

  it('young sessions and those without memory are left out, and old ones go with their last process', () => {
    const pods = open();
    const old = process(10, 'bash', 10, 1);
    expect(
      Object.keys(summary(pods.sample([old, process(11, 'ls', 11, 1, 15_000), process(12, 'dead', 12, 1, 0, 0)], 20_000))),
    ).toEqual(['bash-10-host']);
    expect(pods.sample([], 30_000)).toEqual([]);
  });

  it('the largest sessions come first, up to the limit', () => {
    const processes = [1, 2, 3].map((i) => process(i, `p${i}`, i, 1, 0, i * 1000));
    const pods = open(2);
    expect(Object.keys(summary(pods.sample(processes, 20_000)))).toEqual(['p3-3-host', 'p2-2-host']);
  });

  it('a process below the resolution of the kernel has used some CPU', () => {
    expect(summary(open().sample([process(10, 'bash', 10, 0)], 20_000))).toEqual({ 'bash-10-host': [['bash', 0.001]] });
  });
});

describe.runIf(globalThis.process.platform === 'linux')('/proc of this host', () => {
  it('has plausible totals', () => {
    const { cpuSeconds, cores, workingSetBytes, totalBytes, bootMs } = new Proc().totals();
    expect(cores).toBeGreaterThan(0);
    expect(cpuSeconds).toBeGreaterThan(0);
    expect(cpuSeconds).toBeLessThan((cores * (Date.now() - bootMs)) / 1000 + 1);
    expect(workingSetBytes).toBeGreaterThan(0);
    expect(workingSetBytes).toBeLessThan(totalBytes);
  });

  it('has this process', async () => {
    const { pid, memoryUsage, cpuUsage } = globalThis.process;
    const own = (await new Proc().processes()).find((each) => each.pid === pid);
    expect(own?.residentBytes).toBeGreaterThan(memoryUsage.rss() / 2);
    expect(own?.residentBytes).toBeLessThan(memoryUsage.rss() * 2);
    const { user, system } = cpuUsage();
    expect(Math.abs((own?.cpuSeconds ?? 0) - (user + system) / 1e6)).toBeLessThan(1);
    expect(own?.startMs).toBeLessThan(Date.now());
    expect(own?.startMs).toBeGreaterThan(Date.now() - 600_000);
  });
});
