import type { Readable } from 'node:stream';

/** The body is longer than the limit. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
  readonly limit: number;
  constructor(limit: number) {
    super(`Request entity too large: limit is ${limit}`);
    this.limit = limit;
  }
}

/** The client went away in the middle of its request. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone';
  constructor() {
    super('the client closed the connection');
  }
}

/**
 * Reads a stream to its end, holding at most `limit` bytes. `isWhole` says, at the end, whether that was the end of the
 * body: a stream that is broken off may end like any other, and half a body must not pass for one.
 */
export function readBody(stream: Readable, declared: string | undefined, limit: number, isWhole: () => boolean): Promise<Buffer> {
  if (declared !== undefined && Number(declared) > limit) return Promise.reject(new TooLarge(limit));
  if (stream.readableEnded) return Promise.resolve(empty);
  if (stream.destroyed) return Promise.reject(new ClientGone());
  return new Promise((resolve, reject) => {
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let length = 0;
    let settled = false;
    const gone = () => {
      // Every stream closes in the end: the error is made only for one that nobody has heard the end of.
      if (!settled) reject(new ClientGone());
      settled = true;
    };
    stream.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limit) {
        stream.removeAllListeners('data');
        stream.resume();
        settled = true;
        reject(new TooLarge(limit));
      } else if (first === undefined) first = chunk;
      else if (rest === undefined) rest = [first, chunk];
      else rest.push(chunk);
    });
    stream.on('end', () => {
      if (!isWhole()) return gone();
      settled = true;
      resolve(rest ? Buffer.concat(rest, length) : (first ?? empty));
    });
    stream.on('error', gone);
    stream.on('close', gone);
  });
}

const empty = Buffer.alloc(0);
