/** The limit of all texts. Beyond it each text is truncated, and then further ones are dropped. */
const maxCharacters = 4096;
const maxTruncated = 256;

/** The distinct warnings of a response, limited as in Kubernetes, since long headers break clients. */
export class Warnings {
  readonly #texts = new Set<string>();
  #length = 0;
  #isTruncated = false;

  add(text: string): void {
    const kept = text.slice(0, 2 * maxCharacters + 2);
    if (kept === '' || this.#texts.has(kept) || (this.#isTruncated && this.#length >= maxCharacters)) return;
    this.#texts.add(kept);
    const length = [...kept].length;
    if (this.#isTruncated) this.#length += Math.min(length, maxTruncated);
    else if (this.#length + length <= maxCharacters) this.#length += length;
    else this.#truncate();
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }

  /** Values of the Warning header. */
  get headers(): readonly string[] {
    return this.#shown().flatMap((text) => (hasControlCharacter.test(text) ? [] : [header(text)]));
  }

  #truncate(): void {
    this.#isTruncated = true;
    this.#length = this.#shown().reduce((sum, text) => sum + [...text].length, 0);
  }

  #shown(): string[] {
    return this.#isTruncated ? [...this.#texts].map(firstCharacters) : [...this.#texts];
  }
}

const hasControlCharacter = /\p{Cc}/u;

function firstCharacters(text: string): string {
  return [...text].slice(0, maxTruncated).join('');
}

/** RFC 7234: code 299, no agent, the text quoted. Header strings are latin1, so each UTF-8 byte is one character. */
function header(text: string): string {
  const quoted = text.replace(/(["\\])/g, '\\$1');
  return `299 - "${Buffer.from(quoted, 'utf8').toString('latin1')}"`;
}
