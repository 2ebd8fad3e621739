import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { problemsOf, stateAfter } from '../crash/check-history.ts';
import { orderProblems } from '../crash/linearizable.ts';
import { type Observed, observed, ResumingWatch } from '../crash/resuming-watch.ts';
import { http1Wire, http2Wire, WatchRefused, type Wire } from '../crash/wire.ts';
import { WriteLog } from '../crash/write-log.ts';
import { Writer } from '../crash/writer.ts';
import { type Client, clientFor } from '../support/client.ts';
import { clock, showProgress } from '../support/progress.ts';
import type { Random } from '../support/random.ts';
import { own } from '../support/server.ts';
import { HistoryReader } from './history-reader.ts';

const namespace = 'history';
const path = `/api/v1/namespaces/${namespace}/configmaps`;
const reconnectMs = 20;
const catchUpMs = 30_000;

/** Writers, readers and watches on one address behind which servers come and go. All that they see is recorded and checked. */
export class HistoryTrial {
  readonly log = new WriteLog();
  readonly watches: ResumingWatch[] = [];
  readonly #client: Client;
  readonly #random: Random;
  readonly #readers: HistoryReader[] = [];
  readonly #wires = new Set<Wire>();
  readonly #running: Promise<void>[] = [];
  #isWriting = true;
  #isWatching = true;
  #failure: unknown;

  constructor(kubeconfig: string, random: Random) {
    this.#client = clientFor(kubeconfig);
    this.#random = random;
  }

  /** Creates the namespace, and starts the watches before the first write. */
  async begin(writers: number): Promise<void> {
    const { status } = await this.#client.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    expect(status).toBe(201);
    const { version } = await this.#list();
    // Watches with a timeout get a bookmark before they end.
    for (const selector of ['', '&timeoutSeconds=4', '&labelSelector=parity%3Deven'])
      this.watches.push(
        new ResumingWatch(path, `&${own}${selector}&allowWatchBookmarks=1`, version, (each) => this.log.saw(each)),
      );
    for (const [i, watch] of this.watches.entries())
      this.#run(
        i,
        () => this.#isWatching,
        (wire) => follow(watch, wire),
      );
    const names = Array.from({ length: writers }, (_, i) => namesOf(i));
    for (const [i, own] of names.entries()) {
      const options = { path, log: this.log, random: this.#random, names: own, shared: isShared(i), outages: true, late: true };
      const writer = new Writer(options);
      this.#run(
        i,
        () => this.#isWriting,
        (wire) => writer.run(wire),
      );
    }
    const all = [...new Set(names.flat())];
    for (let i = 0; i < 4; i++) {
      const reader = new HistoryReader(() => this.#wire(i), { path, names: all, log: this.log, random: this.#random });
      this.#readers.push(reader);
      this.#run(
        i,
        () => this.#isWriting,
        (wire) => reader.run(wire),
      );
    }
  }

  /** Resolves when `count` more writes have been acknowledged. Rejects if a client has failed. */
  async progress(count: number): Promise<void> {
    const target = this.log.count('acknowledged') + count;
    for (const deadline = performance.now() + catchUpMs; this.log.count('acknowledged') < target; await pause(20)) {
      if (this.#failure) throw this.#failure;
      if (performance.now() > deadline) throw new Error(`fewer than ${count} writes were acknowledged in ${catchUpMs / 1000} s`);
    }
  }

  /**
   * Disturbs the servers until `seconds` have passed, at least three times, with `writes` acknowledged writes before and after each
   * disturbance, and checks the history. Returns a summary.
   */
  async run(seconds: number, writes: number, disturb: (round: number) => Promise<void>): Promise<string> {
    const began = performance.now();
    let rounds = 0;
    const stopProgress = showProgress(() => `${rounds} disturbances; ${this.summary}`);
    try {
      while (performance.now() - began < seconds * 1000 || rounds < 3) {
        await this.progress(writes);
        await disturb(++rounds);
      }
      await this.progress(writes);
      await this.concludeAndCheck();
    } finally {
      stopProgress();
    }
    expect(this.log.count('acknowledged')).toBeGreaterThan(rounds * writes);
    return `${rounds} disturbances in ${clock(performance.now() - began).trim()}; ${this.summary}`;
  }

  /** Ends the writers, waits until the watches have seen everything, and checks the history. */
  async concludeAndCheck(): Promise<void> {
    this.#isWriting = false;
    this.#closeWires();
    // A write that was cut off may still be made.
    const [main, ...others] = this.watches as [ResumingWatch, ...ResumingWatch[]];
    const current = () => [...stateAfter(main.events).values()].sort(byName);
    await expect.poll(async () => same((await this.#list()).items.sort(byName), current()), { timeout: catchUpMs }).toBe(true);
    for (const watch of others)
      await expect.poll(() => watch.events.length, { timeout: catchUpMs }).toBe(expected(watch, main).length);
    this.#isWatching = false;
    this.#closeWires();
    await Promise.all(this.#running);
    if (this.#failure) throw this.#failure;
    expect(problemsOf(main.events, this.log)).toEqual([]);
    for (const watch of others) expect(watch.events).toEqual(expected(watch, main));
    expect(this.#readers.flatMap(({ problems }) => problems)).toEqual([]);
    expect(orderProblems(this.log)).toEqual([]);
    this.#client.close();
  }

  async abandon(): Promise<void> {
    this.#isWriting = false;
    this.#isWatching = false;
    this.#closeWires();
    await Promise.all(this.#running);
    this.#client.close();
  }

  get summary(): string {
    const { log } = this;
    const bookmarks = this.watches.reduce((sum, watch) => sum + watch.bookmarks, 0);
    const outcomes = (['acknowledged', 'unknown', 'refused'] as const).map((is) => `${log.count(is)} ${is}`).join(', ');
    return `writes: ${outcomes}; ${log.reads.length} reads, ${this.watches[0]?.events.length} events, ${bookmarks} bookmarks`;
  }

  /** Repeats a client with a new connection as long as it is wanted. */
  #run(i: number, isWanted: () => boolean, client: (wire: Wire) => Promise<void>): void {
    const loop = async () => {
      while (isWanted()) {
        const wire = this.#wire(i);
        this.#wires.add(wire);
        await client(wire).finally(() => {
          wire.close();
          this.#wires.delete(wire);
        });
        await pause(reconnectMs);
      }
    };
    this.#running.push(
      loop().catch((error: unknown) => {
        this.#failure ??= error;
      }),
    );
  }

  #wire(i: number): Wire {
    return i % 2 === 0 ? http2Wire(this.#client) : http1Wire(this.#client);
  }

  #closeWires(): void {
    for (const wire of this.#wires) wire.close();
  }

  async #list(): Promise<{ version: number; items: Observed[] }> {
    for (;;) {
      const reply = await this.#client.get(`${path}?${own}`).catch(() => undefined);
      if (reply?.status === 200) {
        const { metadata, items } = reply.body;
        return { version: Number(metadata.resourceVersion), items: items.map((item: unknown) => observed('ADDED', item)) };
      }
      await pause(reconnectMs);
    }
  }
}

/** A quarter of the writers share two objects. */
function isShared(i: number): boolean {
  return i % 4 === 0;
}

function namesOf(i: number): string[] {
  return isShared(i) ? ['shared-0', 'shared-1'] : Array.from({ length: 4 }, (_, k) => `own-${i}-${k}`);
}

/** A server that starts or has lost its store refuses watches. */
async function follow(watch: ResumingWatch, wire: Wire): Promise<void> {
  try {
    await watch.follow(wire);
  } catch (error) {
    const isOutage = error instanceof WatchRefused && (error.status === 429 || error.status >= 500);
    const isBroken = error instanceof Error && error.name === 'WireBroken';
    if (!isOutage && !isBroken) throw error;
  }
}

function expected({ selector }: ResumingWatch, { events }: ResumingWatch): readonly Observed[] {
  return selector.includes('parity') ? events.filter(({ name }) => name.endsWith('0') || name.endsWith('2')) : events;
}

function same(a: readonly Observed[], b: readonly Observed[]): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

const byName = (a: Observed, b: Observed) => (a.name < b.name ? -1 : 1);
