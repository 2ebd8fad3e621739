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

/** Where the server keeps its data. */
export interface Backend {
  /** Flags of the server. */
  readonly args: readonly string[];
  /** Flags of Node; with them the server has a channel for messages. */
  readonly nodeArgs?: readonly string[];
  /** Writes may fail while the server is up, because of its store. */
  readonly failsAtTimes?: boolean;
  /** Ends a store outside of the server without a warning, and starts it again. An embedded one dies with the server. */
  readonly process?: { kill(): Promise<void>; start(): Promise<void> };
}

/** The ways to one life of the server. */
interface Life {
  readonly server: ServerProcess;
  readonly http1: Wire;
  readonly http2: Wire;
}

/** A data dir, those who write to it and those who watch, through many lives of the server. */
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

  /** A quarter of the writers quarrel over two objects, the others have four each for themselves. */
  #writer(i: number): Writer {
    const shared = i % 4 === 0;
    const names = shared ? ['shared-0', 'shared-1'] : Array.from({ length: 4 }, (_, k) => `own-${i}-${k}`);
    return new Writer({ path, log: this.log, random: this.#random, names, shared, outages: this.#isFaulty });
  }

  /** The first life: makes the namespace, and begins the watches before anything is written. */
  async begin(): Promise<void> {
    const life = await this.#start();
    const { status } = await life.http1.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    expect(status).toBe(201);
    const { version } = await this.#list(life);
    const saw = (each: number) => this.log.saw(each);
    this.watches.push(new ResumingWatch(path, `&${own}`, version, saw));
    // The server keeps objects of its own in other namespaces.
    this.watches.push(new ResumingWatch('/api/v1/configmaps', `&${own}%2Cmetadata.namespace%3D${namespace}`, version, saw));
    this.watches.push(new ResumingWatch(path, `&${own}&labelSelector=parity%3Deven`, version, saw));
    await this.#end(life);
  }

  /** A whole life: what was there is looked at, then so much is written until the end comes, without a warning. */
  async live(acknowledgements: number, ms: number): Promise<void> {
    const { life, over } = await this.#writeUntil(acknowledgements);
    await pause(ms);
    await this.#end(life);
    await over;
  }

  /** A life that goes on after a disturbance: it is written to before, during and after. */
  async liveThrough(acknowledgements: number, disturb: (server: ServerProcess) => Promise<void>): Promise<void> {
    const { life, over } = await this.#writeUntil(acknowledgements);
    await disturb(life.server);
    await Promise.race([this.log.acknowledged(acknowledgements), over]);
    await this.#end(life);
    await over;
  }

  /** A life in which the store outside is killed under the writers, and comes back after so long. */
  async liveThroughOutage(acknowledgements: number, ms: number): Promise<void> {
    await this.liveThrough(acknowledgements, async () => {
      await this.#backend.process?.kill();
      await pause(ms);
      await this.#backend.process?.start();
    });
  }

  /** The server and the store outside die at the same time. */
  async dieTogether(acknowledgements: number): Promise<void> {
    const { life, over } = await this.#writeUntil(acknowledgements);
    await Promise.all([this.#end(life), this.#backend.process?.kill()]);
    await over;
    await this.#backend.process?.start();
  }

  /** A life that is over before it has begun. */
  async dieStarting(ms: number): Promise<void> {
    const server = this.launch();
    await pause(ms);
    await server.kill();
  }

  /** The last life: nobody writes any more, and everybody sees everything. */
  async conclude(): Promise<{ readonly replayed: readonly Observed[] }> {
    const life = await this.#start();
    const again = new ResumingWatch(path, `&${own}`, this.#firstVersion, () => {});
    const following = Promise.all([this.#follow(life), again.follow(life.http2)]);
    await this.#check(life);
    await caughtUp(again, this.#main.events.length);
    for (const watch of this.watches.slice(1)) await caughtUp(watch, this.expected(watch).length);
    expect(await life.server.stop()).toBe(0);
    close(life);
    await following;
    return { replayed: again.events };
  }

  /** Concludes, and compares what was written with what all watches have seen. */
  async concludeAndCheck(): Promise<void> {
    const { replayed } = await this.conclude();
    const [main, ...others] = this.watches;
    expect(problemsOf(main?.events ?? [], this.log)).toEqual([]);
    expect(replayed).toEqual(main?.events);
    for (const watch of others) expect(watch.events).toEqual(this.expected(watch));
  }

  /** What a watch should have seen, from what the first of them saw. */
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

  /** Starts the server, and nothing else. */
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

  async #start(): Promise<Life> {
    const began = performance.now();
    const server = this.launch();
    const client = clientFor(await server.ready);
    this.restartMs.push(performance.now() - began);
    const lock = JSON.parse(readFileSync(join(this.#dataDir, 'server.lock'), 'utf8'));
    expect(lock.pid).toBe(server.pid);
    return { server, http1: http1Wire(client), http2: http2Wire(client) };
  }

  /** Starts a life, checks what it finds, and writes until so much was acknowledged. `over` settles when all have stopped. */
  async #writeUntil(acknowledgements: number): Promise<{ life: Life; over: Promise<unknown> }> {
    const life = await this.#start();
    const over = Promise.all([this.#check(life).then(() => this.#write(life)), this.#follow(life)]);
    await Promise.race([this.log.acknowledged(acknowledgements), over]);
    return { life, over };
  }

  async #end(life: Life): Promise<void> {
    await life.server.kill();
    close(life);
  }

  async #follow(life: Life): Promise<void> {
    await Promise.all(this.watches.map((watch, i) => watch.follow(i % 2 === 0 ? life.http2 : life.http1)));
  }

  async #write({ http1, http2 }: Life): Promise<void> {
    await Promise.all(this.#writers.map((writer, i) => writer.run(i % 3 === 0 ? http1 : http2)));
  }

  /** The state is what the events, with those that came late, add up to; and time has not gone back. */
  async #check(life: Life): Promise<void> {
    const newest = this.log.newest;
    const { version, items } = await this.#list(life);
    expect(version).toBeGreaterThanOrEqual(newest);
    const current = () => [...stateAfter(this.#main.events).values()].sort(byName);
    await expect.poll(current, { timeout: catchUpMs }).toEqual(items.sort(byName));
  }

  async #list(life: Life): Promise<{ version: number; items: Observed[] }> {
    const { status, body } = await life.http2.send('GET', `${path}?${own}`);
    expect(status).toBe(200);
    const version = Number(body.metadata.resourceVersion);
    this.log.saw(version);
    return { version, items: body.items.map((item: unknown) => observed('ADDED', item)) };
  }
}

function close({ http1, http2 }: Life): void {
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
