import { pipeline, Readable, Transform } from 'node:stream';

type Pieces = Iterable<Uint8Array> | Readable;

/** Calls back once, when the last piece is handed over or nobody wants more; with all of them if they are to be kept. */
export function followedBody(pieces: Pieces, keep: boolean, whenOver: (whole: Buffer | undefined) => void): Pieces {
  return pieces instanceof Readable ? followedStream(pieces, keep, whenOver) : followedPieces(pieces, keep, whenOver);
}

function* followedPieces(
  pieces: Iterable<Uint8Array>,
  keep: boolean,
  whenOver: (whole: Buffer | undefined) => void,
): Generator<Uint8Array> {
  const kept: Uint8Array[] = [];
  let isWhole = false;
  try {
    for (const piece of pieces) {
      if (keep) kept.push(piece);
      yield piece;
    }
    isWhole = true;
  } finally {
    whenOver(keep && isWhole ? Buffer.concat(kept) : undefined);
  }
}

function followedStream(pieces: Readable, keep: boolean, whenOver: (whole: Buffer | undefined) => void): Readable {
  const kept: Uint8Array[] = [];
  const following = new Transform({
    transform(piece: Uint8Array, _encoding, done) {
      if (keep) kept.push(piece);
      done(null, piece);
    },
  });
  return pipeline(pieces, following, (error) => whenOver(keep && !error ? Buffer.concat(kept) : undefined));
}
