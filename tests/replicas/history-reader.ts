import { setTimeout as pause } from 'node:timers/promises';
import { type Wire, WireBroken } from '../crash/wire.ts';
import type { WriteLog } from '../crash/write-log.ts';
import type { Any } from '../support/client.ts';
import type { Random } from '../support/random.ts';
import { own } from '../support/server.ts';

export interface HistoryReaderOptions {
  readonly path: string;
  readonly names: readonly string[];
  readonly log: WriteLog;
  readonly random: Random;
}

const betweenReadsMs = 5;
const pageSize = 20;

/** Reads single objects, whole lists and lists in pages, and records what it saw. */
export class HistoryReader {
  /** Answers that were older than one that any client had before the request. */
  readonly problems: string[] = [];
  readonly #options: HistoryReaderOptions;
  /** The open wire is a new connection each time, so that the pages of a list come from several servers. */
  readonly #openWire: () => Wire;

  constructor(openWire: () => Wire, options: HistoryReaderOptions) {
    this.#openWire = openWire;
    this.#options = options;
  }

  /** Reads until the wire breaks. */
  async run(wire: Wire): Promise<void> {
    const { random } = this.#options;
    try {
      for (;;) {
        const choice = random(20);
        if (choice === 0) await this.#list(wire);
        else if (choice === 1) await this.#listInPages();
        else await this.#get(wire);
        await pause(betweenReadsMs);
      }
    } catch (error) {
      if (!(error instanceof WireBroken)) throw error;
    }
  }

  async #get(wire: Wire): Promise<void> {
    const { log, path, names, random } = this.#options;
    const name = names[random(names.length)] as string;
    const called = performance.now();
    const { status, body } = await wire.send('GET', `${path}/${name}`);
    if (status === 200) log.read(name, body.data.write, called);
    else if (status === 404) log.read(name, '', called);
    else failUnlessOutage(status, body);
  }

  async #list(wire: Wire): Promise<void> {
    const { log, path } = this.#options;
    const [called, newest] = [performance.now(), log.newest];
    const { status, body } = await wire.send('GET', `${path}?${own}`);
    if (status !== 200) return failUnlessOutage(status, body);
    this.#record(body.items, called, performance.now());
    this.#notOlder('a list', Number(body.metadata.resourceVersion), newest);
  }

  /** All pages show the state of the first one. */
  async #listInPages(): Promise<void> {
    const { log, path } = this.#options;
    const [called, newest] = [performance.now(), log.newest];
    const items: Any[] = [];
    let returned: number | undefined;
    let version: string | undefined;
    let token = '';
    do {
      const { status, body } = await this.#page(`${path}?${own}&limit=${pageSize}&continue=${encodeURIComponent(token)}`);
      if (status !== 200) return failUnlessOutage(status, body);
      returned ??= performance.now();
      version ??= body.metadata.resourceVersion as string;
      if (body.metadata.resourceVersion !== version)
        this.problems.push(`pages of one list are of ${version} and another version`);
      items.push(...body.items);
      token = body.metadata.continue ?? '';
    } while (token !== '');
    this.#record(items, called, returned);
    this.#notOlder('a list in pages', Number(version), newest);
  }

  async #page(path: string): Promise<{ status: number; body: Any }> {
    const wire = this.#openWire();
    try {
      return await wire.send('GET', path);
    } finally {
      wire.close();
    }
  }

  #record(items: readonly Any[], called: number, returned: number): void {
    const found = new Map(items.map(({ metadata, data }) => [metadata.name, data.write]));
    for (const name of this.#options.names) this.#options.log.read(name, found.get(name) ?? '', called, returned);
  }

  #notOlder(what: string, version: number, newest: number): void {
    if (version < newest) this.problems.push(`${what} of ${version} was requested after a client had seen ${newest}`);
    this.#options.log.saw(version);
  }
}

/** While a store or a server is down, requests may fail. */
function failUnlessOutage(status: number, body: Any): void {
  if (status !== 429 && status < 500) throw new Error(`a read was answered with ${status}: ${JSON.stringify(body)}`);
}
