import { constants, gzip } from 'node:zlib';
import type { Answer, BytesAnswer } from '../http/answer.ts';
import type { IncomingRequest } from '../http/api-request.ts';
import { type Filter, whenAnswered } from './filter.ts';

/** Smaller answers are not worth the time. */
const minBytes = 128 * 1024;

/** Large answers go out compressed to clients that ask for it. The work is done off the main thread. */
export function compression(): Filter {
  return function compress(request, next) {
    const answer = next(request);
    return acceptsGzip(request) ? whenAnswered(answer, (a) => compressed(a) as Answer) : answer;
  };
}

function acceptsGzip(request: IncomingRequest): boolean {
  return request.exchange.header('accept-encoding')?.includes('gzip') ?? false;
}

function compressed(answer: Answer): Answer | Promise<Answer> {
  if (answer.kind !== 'bytes' || answer.status !== 200 || answer.headers?.['content-encoding']) return answer;
  const { body } = answer;
  const whole = typeof body === 'string' || body instanceof Uint8Array;
  if (whole && body.length < minBytes) return answer;
  return compressWhole(answer, whole ? body : Buffer.concat([...body]));
}

function compressWhole(answer: BytesAnswer, body: string | Uint8Array): Promise<Answer> {
  return new Promise((resolve, reject) => {
    gzip(body, { level: constants.Z_BEST_SPEED }, (error, packed) => {
      if (error) reject(error);
      else
        resolve({ ...answer, body: packed, headers: { ...answer.headers, 'content-encoding': 'gzip', vary: 'Accept-Encoding' } });
    });
  });
}
