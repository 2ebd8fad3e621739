import { Readable } from 'node:stream';
import { constants, createGzip, gzip } from 'node:zlib';
import { type Answer, type BytesAnswer, DirectBody } from '@tsukube/transport';
import type { IncomingRequest } from '../http/api-request.ts';
import { type Filter, whenAnswered } from './filter.ts';

/** As in kube-apiserver; smaller responses are not compressed. */
const minBytes = 128 * 1024;

/** Compresses large responses for clients that accept gzip, on zlib's threads. */
export function compression(): Filter {
  return function compress(request, next) {
    const answer = next(request);
    return acceptsGzip(request) ? whenAnswered(answer, (a) => compressed(a) as Answer) : answer;
  };
}

function acceptsGzip(request: IncomingRequest): boolean {
  const header = request.exchange.header('accept-encoding');
  if (header === undefined || header === 'gzip') return header !== undefined;
  return header.includes('gzip') && header.split(',').some(isGzip);
}

/** Whether an element of Accept-Encoding is gzip with a quality above 0. */
function isGzip(element: string): boolean {
  const [coding, ...parameters] = element.split(';').map((part) => part.trim());
  return coding === 'gzip' && !parameters.some((parameter) => /^q=0(\.0*)?$/i.test(parameter));
}

function compressed(answer: Answer): Answer | Promise<Answer> {
  if (answer.kind !== 'bytes' || answer.isProxied || answer.status !== 200 || answer.headers?.['content-encoding']) return answer;
  const { body } = answer;
  if (typeof body === 'string' || body instanceof Uint8Array)
    return body.length < minBytes ? answer : compressWhole(answer, body);
  if (body instanceof DirectBody) return compressDirect(answer, body);
  return compressPieces(answer, body);
}

function compressPieces(answer: BytesAnswer, pieces: Iterable<Uint8Array> | Readable): BytesAnswer {
  return { ...withEncoding(answer), body: Readable.from(pieces).pipe(createGzip(fast)) };
}

/** Compressed in one step up to this size, since each step is a round trip to another thread. */
const wholeBytes = 1 << 20;

function compressDirect(answer: BytesAnswer, body: DirectBody): BytesAnswer | Promise<Answer> {
  const first = Buffer.allocUnsafeSlow(wholeBytes);
  const length = body.writeTo(first, 0, wholeBytes);
  if (length < wholeBytes) return compressWhole(answer, first.subarray(0, length));
  return compressPieces(answer, concat(first, body));
}

function* concat(first: Buffer, rest: Iterable<Uint8Array>): Generator<Uint8Array> {
  yield first;
  yield* rest;
}

const fast = { level: constants.Z_BEST_SPEED };

function compressWhole(answer: BytesAnswer, body: string | Uint8Array): Promise<Answer> {
  return new Promise((resolve, reject) => {
    gzip(body, fast, (error, packed) => {
      if (error) reject(error);
      else resolve({ ...withEncoding(answer), body: packed });
    });
  });
}

function withEncoding(answer: BytesAnswer): BytesAnswer {
  const vary = answer.headers?.vary;
  const headers = { ...answer.headers, 'content-encoding': 'gzip', vary: vary ? `${vary}, Accept-Encoding` : 'Accept-Encoding' };
  return { ...answer, headers };
}
