import { HttpError } from '../http-error.ts';
import { Http1RequestBody } from '../request-body.ts';
import { ReceiveBuffer, RequestReader } from '../request-reader.ts';

/** A request as the tests see it. */
export interface SeenRequest {
  readonly line: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Reading {
  readonly requests: SeenRequest[];
  /** The status of the error that closes the connection. */
  refused: number | undefined;
}

/** Parses bytes that arrive in the given pieces. */
export async function readAll(pieces: Iterable<Buffer>): Promise<Reading> {
  const reading: Reading = { requests: [], refused: undefined };
  const received = new ReceiveBuffer();
  const reader = new RequestReader(received);
  let awaited: { body: Http1RequestBody; finish(): Promise<void> } | undefined;

  const step = async (): Promise<boolean> => {
    if (awaited) {
      if (received.length > 0) reader.feed(awaited.body);
      if (!awaited.body.isComplete) return false;
      await awaited.finish();
      awaited = undefined;
      return true;
    }
    const head = received.length > 0 ? reader.readHead() : undefined;
    if (!head) return false;
    const body = head.headers.framing === 0 ? undefined : new Http1RequestBody(head.headers.framing);
    const text = body?.read(1 << 20);
    const seen = {
      line: `${head.method} ${head.target} 1.${head.headers.minor}`,
      headers: Object.fromEntries(head.headers.values),
    };
    const finish = async () => void reading.requests.push({ ...seen, body: text ? (await text).toString('latin1') : '' });
    if (body) awaited = { body, finish };
    else await finish();
    return true;
  };

  try {
    for (const piece of pieces) {
      received.push(piece);
      while (await step());
    }
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    reading.refused = error.status;
  }
  return reading;
}

export const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1');

export function* cut(bytes: Buffer, sizeOf: () => number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + sizeOf());
    // A copy, as a socket delivers it.
    yield Buffer.from(bytes.subarray(at, end));
    at = end;
  }
}
