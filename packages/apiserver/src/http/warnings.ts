/** All texts together may be so long; beyond that each is cut, and what comes when there is no room at all is dropped. */
const maxCharacters = 4096;
const maxCharactersOfOne = 256;

/** The warnings of one answer, each once, bounded as Kubernetes bounds them: headers that grow too long break clients. */
export class Warnings {
  readonly #texts = new Set<string>();
  #length = 0;
  #isCut = false;

  add(text: string): void {
    const kept = text.slice(0, 2 * maxCharacters + 2);
    if (kept === '' || this.#texts.has(kept) || (this.#isCut && this.#length >= maxCharacters)) return;
    this.#texts.add(kept);
    const length = [...kept].length;
    if (this.#isCut) this.#length += Math.min(length, maxCharactersOfOne);
    else if (this.#length + length <= maxCharacters) this.#length += length;
    else this.#cut();
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }

  /** Values of the Warning header. */
  get headers(): readonly string[] {
    return this.#told().flatMap((text) => (hasControlCharacter.test(text) ? [] : [header(text)]));
  }

  #cut(): void {
    this.#isCut = true;
    this.#length = this.#told().reduce((sum, text) => sum + [...text].length, 0);
  }

  #told(): string[] {
    return this.#isCut ? [...this.#texts].map(firstCharacters) : [...this.#texts];
  }
}

const hasControlCharacter = /\p{Cc}/u;

function firstCharacters(text: string): string {
  return [...text].slice(0, maxCharactersOfOne).join('');
}

/** RFC 7234: code 299, no agent, the text quoted. A header holds bytes: those of UTF-8, each as a character. */
function header(text: string): string {
  const quoted = text.replace(/(["\\])/g, '\\$1');
  return `299 - "${Buffer.from(quoted, 'utf8').toString('latin1')}"`;
}
