import type { ClientHttp2Session } from 'node:http2';
import { openSession, send } from '../hostile/http2.ts';
import type { Any, Client } from '../support/client.ts';
import { isLong } from '../support/progress.ts';
import type { Random } from '../support/random.ts';

export interface Counts {
  requests: number;
  events: number;
  /** Told one by one, up to a limit. */
  readonly errors: string[];
}

export interface RequestOptions {
  readonly type?: string;
  readonly accept?: string;
  /** Statuses that are no error. */
  readonly expect?: readonly number[];
}

/** Repeats a step for as long as the soak test runs. */
export interface Workload {
  readonly name: string;
  /** From the start of a step to the start of the next one: the rate is the same on a fast machine, and so is memory in use. */
  readonly everyMs: number;
  step(surroundings: Surroundings): Promise<void>;
}

const usual = [200, 201];
const maxErrors = 100;

/** What all workloads share: a server, two protocols to reach it, and what is counted. */
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

  /** Sends over HTTP/1.1 and HTTP/2 by turns. Throws if the status is not one of those expected. */
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

  /** Repeats a workload until the signal aborts. An error ends its step, and is counted. */
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

  /** What is cut off by the end of the soak is no error. */
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
