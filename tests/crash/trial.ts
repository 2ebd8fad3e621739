import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { clientFor } from '../support/client.ts';
import { isLong } from '../support/progress.ts';
import type { Random } from '../support/random.ts';
import { own } from '../support/server.ts';
import { launchServer, type ServerProcess } from '../support/server-process.ts';
import { problemsOf, stateAfter } from './check-history.ts';
import { type Observed, observed, ResumingWatch } from './resuming-watch.ts';
import { http1Wire, http2Wire, type Wire } from './wire.ts';
import { WriteLog } from './write-log.ts';
import { Writer } from './writer.ts';

const namespace = 'crash';
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const catchUpMs = 20_000;

/** The store of the server. */
export interface Backend {
  /** Flags of the server. */
  readonly args: readonly string[];
  /** Flags of Node; if set, the server has an IPC channel. */
  readonly nodeArgs?: readonly string[];
  /** Whether writes may fail while the server runs, because of its store. */
  readonly failsAtTimes?: boolean;
  /** Kills and restarts an external store. An embedded store dies with the server. */
  readonly process?: { kill(): Promise<void>; start(): Promise<void> };
}

/** Connections to one process of the server. */
interface Run {
  readonly server: ServerProcess;
  readonly http1: Wire;
  readonly http2: Wire;
}

/** A data dir with writers and watches, across many restarts of the server. */
export class Trial {
  readonly log = new WriteLog();
  readonly restartMs: number[] = [];
  readonly watches: ResumingWatch[] = [];
  readonly #dataDir: string;
  readonly #random: Random;
  readonly #writers: Writer[];
  readonly #backend: Backend;
  #server: ServerProcess | undefined;

  constructor(dataDir: string, random: Random, backend: Backend) {
    this.#dataDir = dataDir;
    this.#backend = backend;
    this.#random = random;
    this.#writers = Array.from({ length: 32 }, (_, i) => this.#writer(i));
  }

  /** A quarter of the writers share two objects; the others have four objects each. */
  #writer(i: number): Writer {
    const shared = i % 4 === 0;
    const names = shared ? ['shared-0', 'shared-1'] : Array.from({ length: 4 }, (_, k) => `own-${i}-${k}`);
    return new Writer({ path, log: this.log, random: this.#random, names, shared, outages: this.#isFaulty });
  }

  /** Starts the server, creates the namespace, and starts the watches before the first write. */
  async begin(): Promise<void> {
    const run = await this.#start();
    const { status } = await run.http1.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    expect(status).toBe(201);
    const { version } = await this.#list(run);
    const saw = (each: number) => this.log.saw(each);
    this.watches.push(new ResumingWatch(path, `&${own}`, version, saw));
    // The server itself writes objects in other namespaces.
    this.watches.push(new ResumingWatch('/api/v1/configmaps', `&${own}%2Cmetadata.namespace%3D${namespace}`, version, saw));
    this.watches.push(new ResumingWatch(path, `&${own}&labelSelector=parity%3Deven`, version, saw));
    await this.#end(run);
  }

  /** Starts the server, checks the stored state, writes until enough writes are acknowledged, and kills it. */
  async runAndKill(acknowledgements: number, ms: number): Promise<void> {
    const { run, over } = await this.#writeUntil(acknowledgements);
    await pause(ms);
    await this.#end(run);
    await over;
  }

  /** Writes before, during and after a disturbance, then kills the server. */
  async runThrough(acknowledgements: number, disturb: (server: ServerProcess) => Promise<void>): Promise<void> {
    const { run, over } = await this.#writeUntil(acknowledgements);
    await disturb(run.server);
    await Promise.race([this.log.acknowledged(acknowledgements), over]);
    await this.#end(run);
    await over;
  }

  /** Kills the external store during writes and restarts it after `ms`. */
  async runThroughOutage(acknowledgements: number, ms: number): Promise<void> {
    await this.runThrough(acknowledgements, async () => {
      await this.#backend.process?.kill();
      await pause(ms);
      await this.#backend.process?.start();
    });
  }

  /** Kills the server and the external store at the same time. */
  async killTogether(acknowledgements: number): Promise<void> {
    const { run, over } = await this.#writeUntil(acknowledgements);
    await Promise.all([this.#end(run), this.#backend.process?.kill()]);
    await over;
    await this.#backend.process?.start();
  }

  /** Kills the server while it starts. */
  async killWhileStarting(ms: number): Promise<void> {
    const server = this.launch();
    await pause(ms);
    await server.kill();
  }

  /** Starts the server a last time, without writers, and waits until all watches have seen all events. */
  async conclude(): Promise<{ readonly replayed: readonly Observed[] }> {
    const run = await this.#start();
    const again = new ResumingWatch(path, `&${own}`, this.#firstVersion, () => {});
    const following = Promise.all([this.#follow(run), again.follow(run.http2)]);
    await this.#check(run);
    await caughtUp(again, this.#main.events.length);
    for (const watch of this.watches.slice(1)) await caughtUp(watch, this.expected(watch).length);
    expect(await run.server.stop()).toBe(0);
    close(run);
    await following;
    return { replayed: again.events };
  }

  /** Concludes, and compares the writes with the events of all watches. */
  async concludeAndCheck(): Promise<void> {
    const { replayed } = await this.conclude();
    const [main, ...others] = this.watches;
    expect(problemsOf(main?.events ?? [], this.log)).toEqual([]);
    expect(replayed).toEqual(main?.events);
    for (const watch of others) expect(watch.events).toEqual(this.expected(watch));
  }

  /** The expected events of a watch, derived from those of the first watch. */
  expected(watch: ResumingWatch): readonly Observed[] {
    if (!watch.selector.includes('parity')) return this.#main.events;
    return this.#main.events.filter(({ name }) => name.endsWith('0') || name.endsWith('2'));
  }

  async abandon(): Promise<void> {
    await this.#server?.kill();
  }

  get #isFaulty(): boolean {
    return this.#backend.process !== undefined || this.#backend.failsAtTimes === true;
  }

  get #main(): ResumingWatch {
    return this.watches[0] as ResumingWatch;
  }

  get #firstVersion(): number {
    return this.#main.from;
  }

  /** Starts the server process only. */
  launch(): ServerProcess {
    const { args, nodeArgs } = this.#backend;
    this.#server = launchServer({
      dataDir: this.#dataDir,
      args,
      nodeArgs,
      ipc: nodeArgs !== undefined,
      quiet: isLong || this.#isFaulty,
    });
    return this.#server;
  }

  async #start(): Promise<Run> {
    const began = performance.now();
    const server = this.launch();
    const client = clientFor(await server.ready);
    this.restartMs.push(performance.now() - began);
    const lock = JSON.parse(readFileSync(join(this.#dataDir, 'server.lock'), 'utf8'));
    expect(lock.pid).toBe(server.pid);
    return { server, http1: http1Wire(client), http2: http2Wire(client) };
  }

  /** Starts the server, checks the stored state, and writes until enough writes are acknowledged. `over` settles when all writers have stopped. */
  async #writeUntil(acknowledgements: number): Promise<{ run: Run; over: Promise<unknown> }> {
    const run = await this.#start();
    const over = Promise.all([this.#check(run).then(() => this.#write(run)), this.#follow(run)]);
    await Promise.race([this.log.acknowledged(acknowledgements), over]);
    return { run, over };
  }

  async #end(run: Run): Promise<void> {
    await run.server.kill();
    close(run);
  }

  async #follow(run: Run): Promise<void> {
    await Promise.all(this.watches.map((watch, i) => watch.follow(i % 2 === 0 ? run.http2 : run.http1)));
  }

  async #write({ http1, http2 }: Run): Promise<void> {
    await Promise.all(this.#writers.map((writer, i) => writer.run(i % 3 === 0 ? http1 : http2)));
  }

  /** The state equals the sum of all events, including late ones; the resourceVersion never decreases. */
  async #check(run: Run): Promise<void> {
    const newest = this.log.newest;
    const { version, items } = await this.#list(run);
    expect(version).toBeGreaterThanOrEqual(newest);
    const current = () => [...stateAfter(this.#main.events).values()].sort(byName);
    await expect.poll(current, { timeout: catchUpMs }).toEqual(items.sort(byName));
  }

  async #list(run: Run): Promise<{ version: number; items: Observed[] }> {
    const { status, body } = await run.http2.send('GET', `${path}?${own}`);
    expect(status).toBe(200);
    const version = Number(body.metadata.resourceVersion);
    this.log.saw(version);
    return { version, items: body.items.map((item: unknown) => observed('ADDED', item)) };
  }
}

function close({ http1, http2 }: Run): void {
  http1.close();
  http2.close();
}

/** Waits until a watch has received this many events; fails if none arrives for `catchUpMs`. */
async function caughtUp({ events }: ResumingWatch, count: number): Promise<void> {
  let [last, since] = [events.length, performance.now()];
  while (events.length < count) {
    if (events.length > last) [last, since] = [events.length, performance.now()];
    else if (performance.now() - since > catchUpMs) break;
    await pause(20);
  }
  expect(events.length).toBe(count);
}

const byName = (a: Observed, b: Observed) => (a.name < b.name ? -1 : 1);
