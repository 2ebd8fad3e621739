import { describe, expect, it } from 'vitest';
import { Cancelled, type Change, KeyExists, Unavailable } from '../store.ts';
import type { Tables } from './environment.ts';
import { LmdbWriter, type WriteDraft } from './writer.ts';

/** Tables whose transactions the test completes or fails. */
class ScriptedTables {
  readonly #ends: ((end: { readonly error?: Error }) => void)[] = [];
  readonly #started: (() => void)[] = [];
  readonly puts: unknown[] = [];
  begun = 0;

  get tables(): Tables {
    const put = (...row: unknown[]) => this.puts.push(row);
    const table = { put, remove: put };
    const meta = { ...table, ifVersion: (_key: string, _version: number, write: () => void) => this.#begin(write) };
    return {
      root: { batch: async () => true },
      current: table,
      log: table,
      logHeads: table,
      expiry: table,
      meta,
    } as unknown as Tables;
  }

  #begin(write: () => void): Promise<boolean> {
    write();
    this.begun++;
    this.#started.shift()?.();
    return new Promise((resolve, reject) => {
      this.#ends.push(({ error }) => (error ? reject(error) : resolve(true)));
    });
  }

  async start(): Promise<void> {
    if (this.#ends.length === 0) await new Promise<void>((resolve) => this.#started.push(resolve));
  }

  end(error?: Error): void {
    this.#ends.shift()?.({ error });
  }
}

function setUp() {
  const script = new ScriptedTables();
  const published: number[] = [];
  const writer = new LmdbWriter(script.tables, { revision: 1, compacted: 0, swept: 0 }, 1, (writes) => {
    published.push(...writes.map(({ change }) => change.entry.revision));
  });
  const put = (key: string) => writer.write(draft(key, writer.nextRevision));
  return { script, writer, put, published };
}

function draft(key: string, revision: number): WriteDraft {
  const change: Change = {
    type: 'put',
    entry: { key, value: Buffer.from(key), revision, created: revision },
    previous: undefined,
  };
  return { change, expires: 0, replacedExpires: 0, resubmit: never };
}

const never = () => Promise.reject(new Error('nothing was cancelled'));

const unwritten = { name: 'Unavailable', unwritten: true };

describe('LmdbWriter', () => {
  it('commits the writes of one turn together, and those that arrive during the commit in the next group', async () => {
    const { script, put, published } = setUp();
    const first = [put('/a'), put('/b')];
    await script.start();
    const second = [put('/c'), put('/d'), put('/e')];
    expect(script.begun).toBe(1);
    script.end();
    await Promise.all(first);
    expect(published).toEqual([2, 3]);
    await script.start();
    expect(script.begun).toBe(2);
    script.end();
    await Promise.all(second);
    expect(published).toEqual([2, 3, 4, 5, 6]);
  });

  it('publishes before it acknowledges', async () => {
    const { script, put, published } = setUp();
    const write = put('/a').then(({ revision }) => expect(published).toContain(revision));
    await script.start();
    script.end();
    await write;
  });

  it('rejects the writes of a failed commit, and those queued on top of it', async () => {
    const { script, writer, put, published } = setUp();
    const failed = put('/a');
    await script.start();
    const queued = put('/b');
    const task = writer.runTask(
      () => {},
      (state) => state,
    );
    const refused = writer.refuse(writer.pending('/a'), () => new KeyExists('/a'), { resubmit: never });
    script.end(new Error('no space'));
    for (const lost of [failed, queued, task, refused]) await expect(lost).rejects.toMatchObject(unwritten);
    expect(published).toEqual([]);
    expect(writer.nextRevision).toBe(2);
    expect(writer.pending('/a')).toBeUndefined();
  });

  it('continues after a failed commit', async () => {
    const { script, put } = setUp();
    const failed = put('/a');
    await script.start();
    script.end(new Error('no space'));
    await expect(failed).rejects.toMatchObject(unwritten);
    const again = put('/a');
    await script.start();
    script.end();
    expect((await again).revision).toBe(2);
  });

  it('reports a conflict with an uncommitted write only after that write is committed', async () => {
    const { script, writer, put } = setUp();
    const write = put('/a');
    let told = false;
    const refused = writer
      .refuse(writer.pending('/a'), () => new KeyExists('/a'), { resubmit: never })
      .catch((error: unknown) => {
        told = true;
        return error;
      });
    await script.start();
    expect(told).toBe(false);
    script.end();
    await write;
    expect(await refused).toBeInstanceOf(KeyExists);
  });

  it('drops writes cancelled before their transaction, and resubmits those queued on top of them', async () => {
    const { script, writer, put, published } = setUp();
    const first = put('/a');
    await script.start();
    let isCancelled = false;
    const resubmitted: string[] = [];
    const waiting = (key: string, check?: () => boolean): Promise<unknown> => {
      const resubmit = () => {
        resubmitted.push(key);
        return put(key);
      };
      return writer.write({ ...draft(key, writer.nextRevision), isCancelled: check, resubmit });
    };
    const cancelled = waiting('/b', () => isCancelled);
    const kept = waiting('/c');
    const refused = writer.refuse(writer.pending('/b'), () => new KeyExists('/b'), { resubmit: () => put('/b') });
    expect(writer.cancelledUnderWay()).toBeUndefined();
    isCancelled = true;
    script.end();
    await first;
    await expect(cancelled).rejects.toThrow(Cancelled);
    await script.start();
    script.end();
    expect([await kept, await refused]).toMatchObject([{ revision: 3 }, { revision: 4 }]);
    expect(resubmitted).toEqual(['/c']);
    expect(published).toEqual([2, 3, 4]);
  });

  it('reports writes that were cancelled after their transaction began', async () => {
    const { script, writer } = setUp();
    let isCancelled = false;
    const write = writer.write({ ...draft('/a', 2), isCancelled: () => isCancelled });
    await script.start();
    expect(writer.cancelledUnderWay()).toBeUndefined();
    isCancelled = true;
    const settled = writer.cancelledUnderWay();
    expect(settled).toBeInstanceOf(Promise);
    script.end();
    await settled;
    expect((await write).revision).toBe(2);
    expect(writer.cancelledUnderWay()).toBeUndefined();
  });

  it('drops cancelled writes, and only those, while closing', async () => {
    const { script, writer, put } = setUp();
    const first = put('/a');
    await script.start();
    const cancelled = writer.write({ ...draft('/b', 3), isCancelled: () => true });
    const kept = writer.write({ ...draft('/c', 4), resubmit: () => put('/c') });
    const closed = writer.close();
    script.end();
    await expect(cancelled).rejects.toThrow(Cancelled);
    await script.start();
    script.end();
    await closed;
    expect([await first, await kept]).toMatchObject([{ revision: 2 }, { revision: 3 }]);
  });

  it('is healthy again once a commit succeeds', async () => {
    const { script, writer, put } = setUp();
    const failed = put('/a');
    await script.start();
    script.end(new Error('no space'));
    await expect(failed).rejects.toThrow(Unavailable);
    const unhealthy = writer.ping();
    await script.start();
    script.end(new Error('no space'));
    await expect(unhealthy).rejects.toThrow(Unavailable);
    const healthy = writer.ping();
    await script.start();
    script.end();
    await healthy;
    await writer.ping();
  });

  it('rejects writes when the queue is full', async () => {
    const { put } = setUp();
    const outcomes: Promise<unknown>[] = [];
    for (let i = 0; i < 512 * 64; i++) outcomes.push(put(`/${i}`));
    await expect(put('/one-too-many')).rejects.toMatchObject(unwritten);
    expect(outcomes).toHaveLength(512 * 64);
  });
});
