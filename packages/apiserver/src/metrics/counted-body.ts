import { pipeline, Readable, Transform } from 'node:stream';
import type { BytesAnswer } from '../http/answer.ts';
import { CountedDirectBody, DirectBody } from '../http/direct-body.ts';

type Body = BytesAnswer['body'];
type WhenSent = (bytes: number) => void;

/** Tells how many bytes a body has: at once if it is whole, else when the last piece is handed over or nobody wants more. */
export function countedBody(body: Body, whenSent: WhenSent): Body {
  if (typeof body === 'string' || body instanceof Uint8Array) {
    whenSent(typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength);
    return body;
  }
  if (body instanceof DirectBody) return new CountedDirectBody(body, whenSent);
  return body instanceof Readable ? countedStream(body, whenSent) : countedPieces(body, whenSent);
}

function* countedPieces(pieces: Iterable<Uint8Array>, whenSent: WhenSent): Generator<Uint8Array> {
  let bytes = 0;
  try {
    for (const piece of pieces) {
      bytes += piece.byteLength;
      yield piece;
    }
  } finally {
    whenSent(bytes);
  }
}

function countedStream(pieces: Readable, whenSent: WhenSent): Readable {
  let bytes = 0;
  const counting = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      bytes += piece.byteLength;
      done(null, piece);
    },
  });
  return pipeline(pieces, counting, () => whenSent(bytes));
}
