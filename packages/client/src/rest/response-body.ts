import type { ClientHttp2Stream } from 'node:http2';
import { ConnectionError, failureOf, type HttpResponse } from '../http/transport.ts';

/** The longest response that is read at once; lists are read in pages. */
const maxBodyBytes = 512 << 20;
/** The longest event of a watch. etcd's limit for an object is much lower. */
const maxLineBytes = 64 << 20;

/** The whole body. Rejects with ConnectionError if its end is missing. */
export async function readText({ body, headers }: HttpResponse, signal?: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > maxBodyBytes) throw new ConnectionError(`the response is longer than ${maxBodyBytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw failureOf(error, signal);
  }
  const expected = headers['content-length'];
  const cut = (body as ClientHttp2Stream).rstCode || (expected !== undefined && Number(expected) !== length);
  if (cut) throw failureOf(new ConnectionError('the response is incomplete'), signal);
  return Buffer.concat(chunks).toString('utf8');
}

/** The JSON of a body. A server never sends malformed JSON, so that is a response without its end. */
export async function readJson<T>(response: HttpResponse, signal?: AbortSignal): Promise<T> {
  const text = await readText(response, signal);
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    throw new ConnectionError(`the response is not JSON: ${(cause as Error).message}`, { cause });
  }
}

/** The lines of a body, those of each chunk at once. Ends when the body does; fails with ConnectionError. */
export async function* readLines({ body }: HttpResponse, signal?: AbortSignal): AsyncGenerator<string[]> {
  let rest: Buffer[] = [];
  let restLength = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      const end = chunk.lastIndexOf(10);
      if (end === -1) {
        rest.push(chunk);
        restLength += chunk.length;
        if (restLength > maxLineBytes) throw new ConnectionError(`a line is longer than ${maxLineBytes} bytes`);
        continue;
      }
      const whole = Buffer.concat([...rest, chunk.subarray(0, end)]).toString('utf8');
      // A copy: a slice would keep the whole chunk.
      rest = end + 1 < chunk.length ? [Buffer.from(chunk.subarray(end + 1))] : [];
      restLength = rest[0]?.length ?? 0;
      yield whole.split('\n');
    }
    if ((body as ClientHttp2Stream).rstCode) throw new ConnectionError('the connection was lost');
  } catch (error) {
    throw failureOf(error, signal);
  } finally {
    body.destroy();
  }
}
