/** Whether Go's net/mail parses a string as one address: `a@b.c`, `Name <a@b.c>`, with the comments of RFC 5322. */
export function isEmailAddress(text: string): boolean {
  const reader = new Reader(text);
  reader.skipSpace();
  return readMailbox(reader) && reader.skipComments() && reader.atEnd();
}

function readMailbox(reader: Reader): boolean {
  if (reader.atEnd()) return false;
  const start = reader.at;
  if (readAddress(reader)) return true;
  reader.at = start;
  if (!reader.next('<') && !readPhrase(reader)) return false;
  reader.skipSpace();
  if (!reader.take('<')) return false;
  return readAddress(reader) && reader.take('>');
}

function readPhrase(reader: Reader): boolean {
  let words = 0;
  for (;;) {
    if (!reader.skipComments()) return false;
    if (reader.next('"') ? !readQuoted(reader) : !reader.match(atomWithDots)) return words > 0;
    words++;
  }
}

function readAddress(reader: Reader): boolean {
  reader.skipSpace();
  if (reader.next('"')) {
    const start = reader.at;
    if (!readQuoted(reader) || reader.at - start < 3) return false;
  } else if (!reader.match(dotAtom)) return false;
  reader.skipSpace();
  if (!reader.take('@')) return false;
  reader.skipSpace();
  return reader.next('[') ? reader.match(domainLiteral) : reader.match(dotAtom);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all non-ASCII characters are allowed.
const atomText = /[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]|[^\x00-\x7f]/.source;
// regex: linear and sticky; a trailing dot backtracks a single character.
const dotAtom = new RegExp(`(?:${atomText})+(?:\\.(?:${atomText})+)*(?![.])`, 'y');
const atomWithDots = new RegExp(`(?:${atomText}|\\.)+`, 'y');
const domainLiteral = /\[[!-Z^-~]*\]/y;

// regex: linear and sticky; parsing ends where it fails.
// biome-ignore lint/suspicious/noControlCharactersInRegex: excludes control characters.
const quoted = /"(?:[^"\\\x00-\x08\x0a-\x1f\x7f]|\\[\t -~]|\\[^\x00-\x7f])*"/y;

function readQuoted(reader: Reader): boolean {
  return reader.match(quoted);
}

class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  atEnd(): boolean {
    return this.at >= this.#text.length;
  }

  next(character: string): boolean {
    return this.#text[this.at] === character;
  }

  take(character: string): boolean {
    if (!this.next(character)) return false;
    this.at++;
    return true;
  }

  match(pattern: RegExp): boolean {
    pattern.lastIndex = this.at;
    if (!pattern.test(this.#text)) return false;
    this.at = pattern.lastIndex;
    return true;
  }

  skipSpace(): void {
    while (this.next(' ') || this.next('\t')) this.at++;
  }

  /** Skips nested parentheses. False if one is not closed. */
  skipComments(): boolean {
    for (;;) {
      this.skipSpace();
      if (!this.next('(')) return true;
      if (!this.#skipComment()) return false;
    }
  }

  #skipComment(): boolean {
    let depth = 0;
    while (!this.atEnd()) {
      const character = this.#text[this.at++];
      if (character === '\\') this.at++;
      else if (character === '(') depth++;
      else if (character === ')' && --depth === 0) return true;
    }
    return false;
  }
}
