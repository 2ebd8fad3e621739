import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { silentLogger } from '@tsukube/apiserver';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { completeOptions } from '../config/index.ts';
import { startServer } from '../start-server.ts';
import { mergeMetrics } from './merge-metrics.ts';
import type { ToWorker } from './messages.ts';
import { ownFile } from './process-group.ts';
import { WorkerProcesses } from './worker-processes.ts';

class FakeChild extends EventEmitter {
  static lastPid = 100;
  readonly pid = FakeChild.lastPid++;
  readonly stdio = [null, null, null, null, new PassThrough()];
  readonly sent: ToWorker[] = [];
  readonly sockets: Socket[] = [];
  connected = true;
  signal: string | undefined;

  send(message: ToWorker, socket?: unknown): boolean {
    this.sent.push(message);
    if (socket instanceof Socket) this.sockets.push(socket);
    if (message.type === 'stop') setImmediate(() => this.end(0));
    return true;
  }

  kill(signal: string): void {
    this.signal = signal;
    this.end(null, signal);
  }

  end(code: number | null, signal: string | null = null): void {
    this.connected = false;
    this.emit('exit', code, signal);
  }
}

const address = { address: '127.0.0.1', family: 'IPv4', port: 6443 };
let children: FakeChild[];
let workers: WorkerProcesses;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  children = [];
  const launch = () => {
    children.push(new FakeChild());
    return children.at(-1) as unknown as ChildProcess;
  };
  const options = completeOptions({ workers: 3, dataDir: '/nowhere' });
  workers = new WorkerProcesses({ options, launch, serveStore: () => {}, logger: silentLogger });
  workers.start(address);
});
afterEach(() => vi.useRealTimers());

const ready = () => {
  for (const child of children) child.emit('message', { type: 'ready' });
};

/** Which process got each of some connections: 0 for this one. */
function distribute(count: number): number[] {
  return Array.from({ length: count }, () => {
    const before = children.map(({ sockets }) => sockets.length);
    workers.passOn(new Socket());
    return 1 + children.findIndex(({ sockets }, i) => sockets.length > (before[i] as number));
  });
}

describe('connections', () => {
  it('stay in this process until others are ready', () => {
    expect(distribute(3)).toEqual([0, 0, 0]);
  });

  it('go to the process with the fewest', () => {
    ready();
    const counts = [0, 0, 0];
    for (const index of distribute(30)) counts[index] = (counts[index] as number) + 1;
    expect(counts).toEqual([10, 10, 10]);
    children[1]?.emit('message', { type: 'closed', count: 5 });
    expect(distribute(5)).toEqual([2, 2, 2, 2, 2]);
  });

  it('do not go to a process that has ended or drains', () => {
    ready();
    children[0]?.end(null, 'SIGKILL');
    children[1]?.emit('message', { type: 'draining' });
    expect(distribute(3)).toEqual([0, 0, 0]);
  });

  it('are closed if the process ends before it has received them', () => {
    ready();
    distribute(30);
    const [first, second] = children.map(({ sockets }) => sockets) as [Socket[], Socket[]];
    children[0]?.end(null, 'SIGKILL');
    expect(first.map(({ destroyed }) => destroyed)).toEqual(Array(10).fill(true));
    expect(second.map(({ destroyed }) => destroyed)).toEqual(Array(10).fill(false));
  });

  it('do not pile up at a process that takes none', () => {
    ready();
    // Sends are never confirmed here.
    expect(distribute(1000).filter((index) => index === 1)).toHaveLength(64);
  });
});

describe('a process that ends', () => {
  it('is restarted with a growing delay', () => {
    const delays: number[] = [];
    for (let i = 0; i < 9; i++) {
      const count = children.length;
      children.at(-1)?.end(1);
      let waited = 0;
      while (children.length === count && waited < 20_000) {
        vi.advanceTimersByTime(100);
        waited += 100;
      }
      delays.push(waited);
    }
    expect(delays).toEqual([100, 200, 400, 800, 1600, 3200, 6400, 10_000, 10_000]);
  });

  it('is killed if it does not answer', async () => {
    ready();
    await vi.advanceTimersByTimeAsync(36_000);
    expect(children.map(({ signal }) => signal)).toContain('SIGKILL');
  });

  it('is not restarted during shutdown', async () => {
    ready();
    await workers.stop();
    vi.advanceTimersByTime(60_000);
    expect(children).toHaveLength(2);
    expect(children.map(({ sent }) => sent.at(-1)?.type)).toEqual(['stop', 'stop']);
  });
});

it('metrics of processes are merged by family, with a label', () => {
  const family = '# HELP a Text.\n# TYPE a counter\n';
  const merged = mergeMetrics(
    new Map([
      [0, `${family}a{b="x{y} z"} 1\n# HELP c C.\n# TYPE c gauge\nc 5\n`],
      [1, `${family}a{b="1"} 2\n`],
    ]),
  );
  expect(merged).toBe(
    `${family}a{worker="0",b="x{y} z"} 1\na{worker="1",b="1"} 2\n# HELP c C.\n# TYPE c gauge\nc{worker="0"} 5\n`,
  );
});

it.each([
  ['audit.log', 0, 'audit.log'],
  ['/var/log.d/audit.log', 1, '/var/log.d/audit.worker-1.log'],
  ['/var/log.d/audit', 2, '/var/log.d/audit.worker-2'],
  ['.audit', 1, '.audit.worker-1'],
  ['-', 1, '-'],
])('the file %s of process %i is %s', (path, index, own) => {
  expect(ownFile(path, index)).toBe(own);
});

it.each([
  [{ workers: 2, storage: 'memory' } as const, '--workers needs --storage lmdb'],
  [{ workers: 2, etcdServers: ['http://127.0.0.1:1'] }, '--workers needs --storage lmdb; with etcd start several servers'],
  [{ workers: 0 }, 'must be between 1 and 64'],
  [{ workers: 2 }, 'in a program, the server is one process'],
])('options %o are refused', async (options, complaint) => {
  await expect(startServer(options)).rejects.toThrow(complaint);
});
