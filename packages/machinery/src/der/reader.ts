/** An element of a DER document; its content may hold further elements. */
export interface DerElement {
  readonly tag: number;
  readonly content: Buffer;
  /** The whole element, tag and length included. */
  readonly bytes: Buffer;
}

/** Something is not the DER it should be. */
export class MalformedDer extends Error {
  override readonly name = 'MalformedDer';
}

/** The elements that stand one after the other in some bytes. */
export function derElements(bytes: Buffer): DerElement[] {
  const found: DerElement[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { start, length } = header(bytes, at);
    const end = start + length;
    if (end > bytes.length) throw new MalformedDer('an element is longer than what holds it');
    found.push({ tag: bytes[at] as number, content: bytes.subarray(start, end), bytes: bytes.subarray(at, end) });
    at = end;
  }
  return found;
}

/** The elements inside a constructed one, which must have the tag. */
export function insideDer(element: DerElement | undefined, tag: number): DerElement[] {
  if (element?.tag !== tag) throw new MalformedDer(`expected tag ${tag}, found ${element?.tag}`);
  return derElements(element.content);
}

function header(bytes: Buffer, at: number): { start: number; length: number } {
  const first = bytes[at + 1];
  if (first === undefined || (first > 0x7f && at + 2 + (first & 0x7f) > bytes.length)) throw new MalformedDer('truncated');
  if (first <= 0x7f) return { start: at + 2, length: first };
  const count = first & 0x7f;
  if (count === 0 || count > 4) throw new MalformedDer('unsupported length');
  return { start: at + 2 + count, length: bytes.readUIntBE(at + 2, count) };
}
