/**
 * Remembers what texts stand for, those used of late, up to so many characters. Two generations: when the younger is full
 * it becomes the older one, and what was not asked for since the last time is forgotten.
 */
export class RecentTexts<T> {
  readonly #limit: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();
  #characters = 0;

  /** How many characters a generation may have. A text that takes more than a sixteenth of that is not remembered. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get(text: string): T | undefined {
    const young = this.#young.get(text);
    if (young !== undefined) return young;
    const old = this.#old.get(text);
    if (old !== undefined) this.set(text, old);
    return old;
  }

  set(text: string, value: T): void {
    if (text.length > this.#limit / 16) return;
    this.#characters += text.length;
    if (this.#characters > this.#limit) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#characters = text.length;
    }
    this.#young.set(text, value);
  }
}
