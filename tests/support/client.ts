import type { IncomingMessage } from 'node:http';
import { Agent, type RequestOptions, request } from 'node:https';

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** The body parsed as JSON; throws if it is not JSON. */
  readonly body: Any;
}

// Tests read response bodies without declaring their types.
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Any = any;

export interface Client {
  readonly url: string;
  readonly tls: { readonly ca: Buffer; readonly cert: Buffer; readonly key: Buffer };
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  watch(path: string, headers?: Record<string, string>): Promise<WatchStream>;
  close(): void;
}

/** A client over HTTP/1.1 with the credentials of a kubeconfig. */
export function clientFor(kubeconfig: string): Client {
  const data = (name: string) => Buffer.from(new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1] ?? '', 'base64');
  const url = /server: (\S+)/.exec(kubeconfig)?.[1] ?? '';
  const tls = { ca: data('certificate-authority-data'), cert: data('client-certificate-data'), key: data('client-key-data') };
  const agent = new Agent({ ...tls, keepAlive: true });
  const open = (method: string, path: string, body: unknown, headers: Record<string, string> = {}) =>
    start(url + path, { method, agent }, body, headers);
  const send: Client['send'] = async (method, path, body, headers) => whole(await open(method, path, body, headers));
  return {
    url,
    tls,
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    watch: async (path, headers) => new WatchStream(await open('GET', path, undefined, headers)),
    close: () => agent.destroy(),
  };
}

function start(url: string, options: RequestOptions, body: unknown, headers: Record<string, string>): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const all: Record<string, string | number> = { ...headers };
    if (payload !== undefined) all['content-type'] ??= 'application/json';
    if (payload !== undefined) all['content-length'] = Buffer.byteLength(payload);
    const sent = request(url, { ...options, headers: all }, resolve);
    sent.on('error', reject);
    sent.end(payload);
  });
}

async function whole(response: IncomingMessage): Promise<Reply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return {
    status: response.statusCode as number,
    headers: response.headers,
    text,
    get body() {
      return JSON.parse(text);
    },
  };
}

/** The events of a watch, one at a time. */
export class WatchStream {
  readonly status: number;
  readonly #response: IncomingMessage;
  readonly #events: Any[] = [];
  #rest = '';
  #ended = false;
  #wake: () => void = () => {};

  constructor(response: IncomingMessage) {
    this.status = response.statusCode as number;
    this.#response = response;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#take(chunk));
    response.on('error', () => {});
    response.on('close', () => {
      this.#ended = true;
      this.#wake();
    });
  }

  /** The next event. Throws if the watch ends, or on a timeout. */
  async next(timeoutMs = 5000): Promise<Any> {
    const [event] = await this.take(1, timeoutMs);
    if (event === undefined) throw new Error('the watch has ended');
    return event;
  }

  /** The next `count` events, fewer only if the watch ends. */
  async take(count: number, timeoutMs = 10_000): Promise<Any[]> {
    const deadline = Date.now() + timeoutMs;
    while (this.#events.length < count && !this.#ended) {
      if (Date.now() > deadline) throw new Error(`only ${this.#events.length} of ${count} events came`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.#events.splice(0, count);
  }

  async ended(): Promise<void> {
    while (!this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  /** Stops reading from the socket until `resume`. */
  pause(): void {
    this.#response.pause();
  }

  resume(): void {
    this.#response.resume();
  }

  close(): void {
    this.#response.destroy();
  }

  #take(chunk: string): void {
    const lines = (this.#rest + chunk).split('\n');
    this.#rest = lines.pop() as string;
    for (const line of lines) if (line !== '') this.#events.push(JSON.parse(line));
    this.#wake();
  }
}
