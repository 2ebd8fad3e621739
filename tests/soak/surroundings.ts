import type { ClientHttp2Session } from 'node:http2';
import { openSession, send } from '../hostile/http2.ts';
import type { Any, Client } from '../support/client.ts';
import { isLong } from '../support/progress.ts';
import type { Random } from '../support/random.ts';

export interface Counts {
  requests: number;
  events: number;
  /** The first errors; further ones are only counted. */
  readonly errors: string[];
}

export interface RequestOptions {
  readonly type?: string;
  readonly accept?: string;
  /** The expected statuses. */
  readonly expect?: readonly number[];
}

/** A step that is repeated during the soak test. */
export interface Workload {
  readonly name: string;
  /** The interval between the starts of two steps. A fixed rate makes memory usage comparable between machines. */
  readonly everyMs: number;
  step(surroundings: Surroundings): Promise<void>;
}

const usual = [200, 201];
const maxErrors = 100;

/** The server, its clients over two protocols, and the counters that all workloads share. */
export class Surroundings {
  readonly client: Client;
  readonly kubeconfig: string;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly counts: Counts = { requests: 0, events: 0, errors: [] };
  #session: ClientHttp2Session | undefined;

  constructor(client: Client, kubeconfig: string, random: Random, signal: AbortSignal) {
    this.client = client;
    this.kubeconfig = kubeconfig;
    this.random = random;
    this.signal = signal;
  }

  /** Sends requests alternately over HTTP/1.1 and HTTP/2. Throws if the status is not expected. */
  async request(
    method: string,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<{ status: number; body: Any }> {
    this.counts.requests++;
    const { type = 'application/json', accept = 'application/json', expect = usual } = options;
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers = { accept, ...(payload !== undefined && { 'content-type': type }) };
    const { status, text } =
      this.counts.requests % 2 === 0
        ? await this.#http1(method, path, payload, headers)
        : await this.#http2(method, path, payload, headers);
    if (!expect.includes(status)) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    return { status, body: accept.includes('protobuf') ? text : JSON.parse(text) };
  }

  /** Repeats a workload until the signal aborts. An error ends the step and is counted. */
  async run({ name, everyMs, step }: Workload): Promise<void> {
    while (!this.signal.aborted) {
      const next = performance.now() + everyMs;
      await step(this).catch((error) => this.#note(name, error));
      await this.pause(next - performance.now());
    }
  }

  pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.signal.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        this.signal.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.signal.addEventListener('abort', done);
    });
  }

  close(): void {
    this.#session?.destroy();
  }

  /** Ignores errors caused by the end of the run. */
  #note(name: string, error: unknown): void {
    if (this.signal.aborted || this.counts.errors.length >= maxErrors) return;
    const text = `${name}: ${error instanceof Error ? error.message : String(error)}`;
    if (isLong) process.stdout.write(`  ${new Date().toISOString()} ${text}\n`);
    this.counts.errors.push(text);
  }

  async #http1(method: string, path: string, payload: string | undefined, headers: Record<string, string>) {
    const { status, text } = await this.client.send(method, path, payload, headers);
    return { status, text };
  }

  async #http2(method: string, path: string, payload: string | undefined, headers: Record<string, string>) {
    if (!this.#session || this.#session.closed || this.#session.destroyed) this.#session = openSession(this.client);
    const reply = await send(this.#session, { ...headers, ':method': method, ':path': path }, payload);
    return 'body' in reply ? { status: reply.status, text: reply.body } : { status: 0, text: reply.code };
  }
}
