import { pipeline, Readable, type Writable } from 'node:stream';

/** Writes chunk after chunk, asking for the next only when the client has taken what went before. */
export function pump(chunks: Iterable<Uint8Array> | Readable, to: Writable): void {
  if (chunks instanceof Readable) pipeline(chunks, to, () => {});
  else pumpReady(chunks, to);
}

function pumpReady(chunks: Iterable<Uint8Array>, to: Writable): void {
  const iterator = chunks[Symbol.iterator]();
  const next = () => {
    for (;;) {
      if (to.destroyed) return void iterator.return?.();
      let step: IteratorResult<Uint8Array>;
      try {
        step = iterator.next();
      } catch (error) {
        // The header is out already: breaking off is the only way left to say that the answer is not whole.
        return void to.destroy(error as Error);
      }
      if (step.done) return void to.end();
      if (!to.write(step.value)) return void to.once('drain', next);
    }
  };
  to.once('close', () => iterator.return?.());
  next();
}
