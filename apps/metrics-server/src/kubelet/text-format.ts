/** One line of the Prometheus text format. */
export interface SeriesSample {
  readonly name: string;
  readonly labels: ReadonlyMap<string, string>;
  readonly value: number;
  /** Milliseconds since the epoch; undefined if the line has none. */
  readonly timestampMs: number | undefined;
}

/** The input is not the Prometheus text format, or exceeds a limit. */
export class TextFormatError extends Error {
  override readonly name = 'TextFormatError';
}

export interface TextFormatOptions {
  /** Series with other names are checked for syntax and skipped. */
  readonly wanted: ReadonlySet<string>;
  readonly onSample: (sample: SeriesSample) => void;
  /** 16 KiB by default. */
  readonly maxLineBytes?: number;
}

const newline = 0x0a;
const [tab, space, quote, hash, comma, equals, backslash, open, close] = [
  0x09, 0x20, 0x22, 0x23, 0x2c, 0x3d, 0x5c, 0x7b, 0x7d,
] as const;
const noLabels: ReadonlyMap<string, string> = new Map();

/** Parses the Prometheus text format chunk by chunk, so that neither a large body nor its text is ever held as a whole. */
export class TextFormatParser {
  readonly #options: TextFormatOptions;
  readonly #maxLineBytes: number;
  /** The beginning of a line whose end has not arrived. */
  #rest: Buffer = Buffer.alloc(0);
  #line = 0;

  constructor(options: TextFormatOptions) {
    this.#options = options;
    this.#maxLineBytes = options.maxLineBytes ?? 16_384;
  }

  /** Throws TextFormatError. */
  push(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      this.#parseLine(bytes, start, end);
      start = end + 1;
    }
    if (bytes.length - start > this.#maxLineBytes) throw this.#error(`longer than ${this.#maxLineBytes} bytes`);
    // A copy: a subarray would keep the whole chunk.
    this.#rest = Buffer.from(bytes.subarray(start));
  }

  /** The last line may lack its newline. Throws TextFormatError. */
  end(): void {
    if (this.#rest.length > 0) this.#parseLine(this.#rest, 0, this.#rest.length);
    this.#rest = Buffer.alloc(0);
  }

  #parseLine(bytes: Buffer, start: number, lineEnd: number): void {
    this.#line++;
    if (lineEnd - start > this.#maxLineBytes) throw this.#error(`longer than ${this.#maxLineBytes} bytes`);
    const end = lineEnd > start && bytes[lineEnd - 1] === 0x0d ? lineEnd - 1 : lineEnd;
    const from = skipBlanks(bytes, start, end);
    if (from === end || bytes[from] === hash) return;
    const cursor = new LineCursor(bytes, from, end, (message) => this.#error(message));
    const name = cursor.metricName();
    const isWanted = this.#options.wanted.has(name);
    const labels = cursor.labels(isWanted);
    const value = cursor.value();
    const timestampMs = cursor.timestamp();
    if (isWanted) this.#options.onSample({ name, labels, value, timestampMs });
  }

  #error(message: string): TextFormatError {
    return new TextFormatError(`line ${this.#line}: ${message}`);
  }
}

/** Reads the parts of a line from left to right. Strings are copied out of the buffer, so that they do not keep it. */
class LineCursor {
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #error: (message: string) => TextFormatError;
  #at: number;

  constructor(bytes: Buffer, at: number, end: number, error: (message: string) => TextFormatError) {
    this.#bytes = bytes;
    this.#at = at;
    this.#end = end;
    this.#error = error;
  }

  metricName(): string {
    const name = this.#identifier(true);
    if (name === '') throw this.#error('does not start with the name of a metric');
    return name;
  }

  /** Labels of skipped series are checked but not kept. */
  labels(keep: boolean): ReadonlyMap<string, string> {
    this.#skipBlanks();
    if (this.#peek() !== open) return noLabels;
    this.#at++;
    const labels = new Map<string, string>();
    for (;;) {
      this.#skipBlanks();
      if (this.#peek() === close) break;
      const name = this.#identifier(false);
      this.#skipBlanks();
      if (name === '' || this.#peek() !== equals) throw this.#error('expected a label name and "="');
      this.#at++;
      this.#skipBlanks();
      const value = this.#quoted(keep);
      if (keep) labels.set(name, value);
      this.#skipBlanks();
      if (this.#peek() === comma) this.#at++;
      else if (this.#peek() !== close) throw this.#error('expected "," or "}" after a label');
    }
    this.#at++;
    return labels;
  }

  value(): number {
    const text = this.#token();
    const value = floatOf(text);
    if (value === undefined) throw this.#error(text === '' ? 'has no value' : `"${text.slice(0, 40)}" is not a number`);
    return value;
  }

  timestamp(): number | undefined {
    const text = this.#token();
    if (text === '') return undefined;
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw this.#error(`"${text.slice(0, 40)}" is not a timestamp`);
    if (skipBlanks(this.#bytes, this.#at, this.#end) !== this.#end) throw this.#error('has more after the timestamp');
    return value;
  }

  #peek(): number | undefined {
    return this.#at < this.#end ? this.#bytes[this.#at] : undefined;
  }

  #skipBlanks(): void {
    this.#at = skipBlanks(this.#bytes, this.#at, this.#end);
  }

  #identifier(allowColon: boolean): string {
    const start = this.#at;
    while (this.#at < this.#end && isNameByte(this.#bytes[this.#at] as number, this.#at > start, allowColon)) this.#at++;
    return this.#bytes.toString('latin1', start, this.#at);
  }

  #token(): string {
    this.#skipBlanks();
    const start = this.#at;
    while (this.#at < this.#end && !isBlank(this.#bytes[this.#at] as number)) this.#at++;
    return this.#bytes.toString('latin1', start, this.#at);
  }

  #quoted(keep: boolean): string {
    if (this.#peek() !== quote) throw this.#error('the value of a label is not quoted');
    const start = ++this.#at;
    let isEscaped = false;
    while (this.#at < this.#end && this.#bytes[this.#at] !== quote) {
      if (this.#bytes[this.#at] === backslash) {
        isEscaped = true;
        this.#at++;
      }
      this.#at++;
    }
    if (this.#at >= this.#end) throw this.#error('the value of a label has no end');
    const text = keep ? this.#bytes.toString('utf8', start, this.#at) : '';
    this.#at++;
    return isEscaped ? unescaped(text) : text;
  }
}

function skipBlanks(bytes: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end && isBlank(bytes[at] as number)) at++;
  return at;
}

function isBlank(byte: number): boolean {
  return byte === space || byte === tab;
}

function isNameByte(byte: number, allowDigit: boolean, allowColon: boolean): boolean {
  const lower = byte | 0x20;
  if ((lower >= 0x61 && lower <= 0x7a && byte >= 0x41) || byte === 0x5f) return true;
  return (allowDigit && byte >= 0x30 && byte <= 0x39) || (allowColon && byte === 0x3a);
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_, character: string) => (character === 'n' ? '\n' : character));
}

/** Go's spellings of a float: infinity is `+Inf`, `-Inf` or `Inf`. */
function floatOf(text: string): number | undefined {
  if (text === '') return undefined;
  if (text === 'NaN') return Number.NaN;
  const infinite = /^([+-]?)[Ii]nf(?:inity)?$/.exec(text);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  const value = Number(text);
  return Number.isNaN(value) ? undefined : value;
}
