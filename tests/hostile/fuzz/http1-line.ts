import type { TLSSocket } from 'node:tls';
import type { Client } from '../../support/client.ts';
import { openSocket } from '../raw-http1.ts';
import type { Answer } from './oracle.ts';
import type { Sample } from './samples.ts';

/** Without a response after this time, the socket is half-closed, which ends an incomplete request. */
const promptMs = 50;

export function bytesOf({ method, path, headers, body }: Sample): Buffer {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  const length = body.length > 0 ? [`content-length: ${body.length}`] : [];
  return Buffer.concat([Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, ...length, '', ''].join('\r\n'), 'latin1'), body]);
}

/** Sends raw bytes over one connection as long as the server keeps it open. */
export class Http1Line {
  readonly #client: Client;
  #socket: TLSSocket | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Undefined if there is no response in time: the connection was closed, or the request was incomplete. */
  async exchange(bytes: Buffer, timeoutMs: number): Promise<Answer | undefined> {
    this.#socket = this.#socket?.readable && this.#socket.writable ? this.#socket : await openSocket(this.#client);
    const text = await this.#converse(this.#socket, bytes, timeoutMs);
    const answer = parseAnswer(text);
    if (!answer?.reusable) this.close();
    return answer;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #converse(socket: TLSSocket, bytes: Buffer, timeoutMs: number): Promise<Buffer> {
    return new Promise((resolve) => {
      let received: Buffer = Buffer.alloc(0);
      const done = () => {
        clearTimeout(hint);
        clearTimeout(end);
        socket.off('data', take);
        socket.off('close', done);
        resolve(received);
      };
      const take = (chunk: Buffer) => {
        received = Buffer.concat([received, chunk]);
        if (parseAnswer(received)?.whole) done();
      };
      const hint = setTimeout(() => socket.end(), promptMs);
      const end = setTimeout(done, timeoutMs);
      socket.on('data', take);
      socket.on('close', done);
      socket.write(bytes);
    });
  }
}

interface ParsedAnswer extends Answer {
  readonly whole: boolean;
  /** Whether the end of the response is known, so that the connection can be reused. */
  readonly reusable: boolean;
}

function parseAnswer(bytes: Buffer): ParsedAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const head = bytes.toString('latin1', 0, end).toLowerCase();
  const status = Number(/^http\/1\.1 (\d{3})/.exec(head)?.[1] ?? Number.NaN);
  if (status === 100) return parseAnswer(bytes.subarray(end + 4));
  const type = /\ncontent-type: ([^\r]*)/.exec(head)?.[1] ?? '';
  const encoded = head.includes('content-encoding');
  const length = Number(/\ncontent-length: (\d+)/.exec(head)?.[1] ?? Number.NaN);
  const body = bytes.subarray(end + 4);
  const whole = Number.isNaN(length) ? body.includes('0\r\n\r\n') : body.length >= length;
  return {
    status,
    type,
    body: body.toString('utf8'),
    comparable: !Number.isNaN(length) && !encoded,
    whole,
    reusable: whole && body.length === length,
  };
}
