import { Duplex } from 'node:stream';
import type { Answer } from '../../http/answer.ts';
import { Http2Connection, type Http2ConnectionOptions } from '../connection.ts';
import { Http2DispatchQueue } from '../dispatch-queue.ts';
import type { Http2Exchange } from '../exchange.ts';
import { frameType } from '../protocol.ts';
import { type Frame, framesIn, hello } from './wire.ts';

/** The socket between a client and the connection under test. */
class Line extends Duplex {
  readonly written: Buffer[] = [];
  #isStuck = false;
  #waiting: (() => void) | undefined;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    // The write buffer is reused.
    this.written.push(Buffer.from(chunk));
    if (this.#isStuck) this.#waiting = done;
    else setImmediate(done);
  }

  /** The client stops reading. */
  stick(): void {
    this.#isStuck = true;
  }

  loosen(): void {
    this.#isStuck = false;
    this.#waiting?.();
    this.#waiting = undefined;
  }
}

export interface Conversation {
  readonly connection: Http2Connection;
  readonly line: Line;
  readonly exchanges: readonly Http2Exchange[];
  readonly errors: readonly unknown[];
  /** Sends, and waits until the connection is quiet. */
  send(...frames: readonly Uint8Array[]): Promise<void>;
  /** The frames that the connection has sent, without the initial ones. */
  received(): Frame[];
  receivedOf(type: number): Frame[];
}

export type Handle = (exchange: Http2Exchange) => void;

export const ok: Answer = { kind: 'bytes', status: 200, type: 'text/plain', body: 'ok' };
export const answerOk: Handle = (exchange) => exchange.respond(ok);

/** A connection after the client's preface and SETTINGS, unless `opening` is given. */
export async function converse(
  handle: Handle = answerOk,
  options: Partial<Http2ConnectionOptions> = {},
  opening: Uint8Array = hello,
): Promise<Conversation> {
  const line = new Line();
  const exchanges: Http2Exchange[] = [];
  const errors: unknown[] = [];
  const client = {
    remoteAddress: '',
    clientCertificates: () => [],
    goAway() {},
    retire() {},
    hasTrustedCertificate: false,
    isUrgent: false,
  };
  const connection = new Http2Connection(line, () => client, {
    maxStreams: 100,
    headerLimits: { bytes: 1 << 20, count: 1000 },
    headerTimeoutMs: 32_000,
    idleTimeoutMs: 90_000,
    goawayChance: 0,
    dispatchQueue: new Http2DispatchQueue(),
    now: () => 0,
    onExchange: (exchange) => {
      exchanges.push(exchange);
      handle(exchange);
    },
    onError: (error) => errors.push(error),
    ...options,
  });
  const received = () => framesIn(Buffer.concat(line.written)).filter((_, i) => i >= 2);
  const conversation: Conversation = {
    connection,
    line,
    exchanges,
    errors,
    async send(...frames) {
      line.push(Buffer.concat(frames));
      await quiet(line);
    },
    received,
    receivedOf: (type) => received().filter((frame) => frame.type === type),
  };
  if (opening.length > 0) await conversation.send(opening);
  return conversation;
}

/** Waits until nothing was sent for a few iterations. */
export async function quiet(line: Line): Promise<void> {
  for (let still = 0, before = -1; still < 5; still++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (line.written.length !== before) still = 0;
    before = line.written.length;
  }
}

export const goAwayCode = ({ payload }: Frame) => payload.readUInt32BE(4);
export const resetsIn = (conversation: Conversation) =>
  conversation.receivedOf(frameType.reset).map(({ stream, payload }) => [stream, payload.readUInt32BE(0)]);

/** The body of an answer. */
export function bodyOf(conversation: Conversation, stream: number): Buffer {
  return Buffer.concat(
    conversation
      .receivedOf(frameType.data)
      .filter((frame) => frame.stream === stream)
      .map(({ payload }) => payload),
  );
}
