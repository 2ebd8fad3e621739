import { setTimeout as pause } from 'node:timers/promises';
import type { Any } from '../support/client.ts';
import type { Random } from '../support/random.ts';
import { newContent } from './content.ts';
import { type Sent, type Wire, WireBroken } from './wire.ts';
import type { Write, WriteLog } from './write-log.ts';

/** The state of an object as known to its writer. */
type Known = { readonly is: 'unsure' } | { readonly is: 'absent' } | { readonly is: 'there'; readonly object: Any };

export interface WriterOptions {
  readonly path: string;
  readonly log: WriteLog;
  readonly random: Random;
  readonly names: readonly string[];
  /** Other writers use the same objects: conflicts are expected, and nothing is deleted. */
  readonly shared: boolean;
  /** The store may fail while the server runs; some of these errors leave the outcome of a write unknown. */
  readonly outages: boolean;
  /** A write of unknown outcome may take effect after a later read, because another server or process makes it. */
  readonly late?: boolean;
}

/** The server runs but its store does not. */
class StoreDown extends Error {
  override readonly name = 'StoreDown';
}

const retryMs = 20;

const mergePatch = 'application/merge-patch+json';

/** Writes sequentially until the server dies. */
export class Writer {
  readonly #options: WriterOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  async run(wire: Wire): Promise<void> {
    try {
      for (;;) await this.#step(wire).catch((error) => this.#waitForStore(error));
    } catch (error) {
      if (!(error instanceof WireBroken)) throw error;
    }
  }

  async #waitForStore(error: unknown): Promise<void> {
    if (!(error instanceof StoreDown)) throw error;
    await pause(retryMs);
  }

  async #step(wire: Wire): Promise<void> {
    const { names, random, shared } = this.#options;
    const name = names[random(names.length)] as string;
    const known = this.#known.get(name) ?? { is: 'unsure' };
    // After a write of unknown outcome the object is read again.
    this.#known.delete(name);
    const next = known.is === 'unsure' || shared ? await this.#look(wire, name) : known;
    this.#known.set(name, next.is === 'absent' ? await this.#create(wire, name) : await this.#change(wire, name, next));
  }

  async #look(wire: Wire, name: string): Promise<Known> {
    const { log, path } = this.#options;
    const called = performance.now();
    const { status, body } = await wire.send('GET', `${path}/${name}`);
    if (status !== 200 && status !== 404) throw this.#unexpected(`GET ${name}`, { status, body });
    log.read(name, status === 404 ? '' : body.data.write, called);
    return status === 404 ? { is: 'absent' } : { is: 'there', object: body };
  }

  async #create(wire: Wire, name: string): Promise<Known> {
    const { log, path, random } = this.#options;
    const write = log.begin('create', name);
    const body = { metadata: { name, labels: { parity: parityOf(name) } }, data: newContent(write.id, 1, random) };
    return this.#settle(write, await wire.send('POST', path, body), 201);
  }

  #change(wire: Wire, name: string, known: Known): Promise<Known> {
    const { random, shared } = this.#options;
    const { object } = known as Known & { is: 'there' };
    const choice = random(10);
    if (shared || choice < 5) return this.#update(wire, name, object);
    return choice < 9 ? this.#patch(wire, name, object) : this.#delete(wire, name, object);
  }

  async #update(wire: Wire, name: string, { metadata, data }: Any): Promise<Known> {
    const { log, path, random } = this.#options;
    const write = log.begin('update', name, metadata.uid, data.write);
    const { uid, resourceVersion, labels } = metadata;
    const next = newContent(write.id, Number(data.count) + 1, random);
    const body = { metadata: { name, uid, resourceVersion, labels }, data: next };
    return this.#settle(write, await wire.send('PUT', `${path}/${name}`, body), 200);
  }

  async #patch(wire: Wire, name: string, { metadata, data }: Any): Promise<Known> {
    const { log, path, random } = this.#options;
    const { uid, resourceVersion } = metadata;
    const write = log.begin('patch', name, uid, this.#options.late ? data.write : undefined);
    const content = newContent(write.id, Number(data.count) + 1, random);
    const body = { data: content, ...(this.#options.late && { metadata: { resourceVersion } }) };
    return this.#settle(write, await wire.send('PATCH', `${path}/${name}`, body, mergePatch), 200);
  }

  async #delete(wire: Wire, name: string, { metadata }: Any): Promise<Known> {
    const { log, path } = this.#options;
    const write = log.begin('delete', name, metadata.uid);
    const { uid } = metadata;
    const answer = await wire.send('DELETE', `${path}/${name}`, { preconditions: { uid } });
    if (isUnwritten(answer)) log.refuse(write);
    if (this.#options.late && [404, 409].includes(answer.status)) {
      log.refuse(write);
      return { is: 'unsure' };
    }
    if (answer.status !== 200) throw this.#unexpected(`DELETE ${name}`, answer);
    log.acknowledge(write, uid);
    return { is: 'absent' };
  }

  #settle(write: Write, { status, body }: Sent, expected: number): Known {
    const { log, shared, late } = this.#options;
    if ((status === 409 && (shared || late)) || (status === 404 && late)) {
      log.refuse(write, status === 409);
      return { is: 'unsure' };
    }
    if (isUnwritten({ status, body })) log.refuse(write);
    if (status !== expected) throw this.#unexpected(`${write.kind} ${write.name}`, { status, body });
    log.acknowledge(write, body.metadata.uid, Number(body.metadata.resourceVersion));
    return { is: 'there', object: body };
  }

  #unexpected(what: string, { status, body }: Sent): Error {
    const text = `${what} was answered with ${status}: ${JSON.stringify(body)}`;
    return this.#options.outages && status >= 500 ? new StoreDown(text) : new Error(text);
  }
}

/** Whether the error guarantees that nothing was written: the store is unavailable or full. */
function isUnwritten({ status, body }: Sent): boolean {
  return status === 503 || (status === 500 && String(body.message).includes('database space exceeded'));
}

export function parityOf(name: string): 'even' | 'odd' {
  return Number(name.split('-').at(-1)) % 2 === 0 ? 'even' : 'odd';
}
