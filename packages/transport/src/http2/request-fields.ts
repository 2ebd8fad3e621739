import { type HeaderField, type HeaderName, role } from './header-field.ts';

export interface HeaderLimits {
  readonly bytes: number;
  readonly count: number;
}

/** The header of a request, or its trailers. Does not change once it is decoded: requests that say the same share one. */
export class RequestFields {
  method: string | undefined;
  scheme: string | undefined;
  authority: string | undefined;
  path: string | undefined;
  contentLength: number | undefined;
  /** Names and values in turns, without what stands for the request line. */
  readonly lines: string[] = [];
  isTooLarge = false;
  /** Whether it breaks a rule for which a stream is to be reset. */
  isMalformed = false;
  /** Size of the header list as RFC 9113 counts it. */
  bytes = 0;
  #count = 0;
  readonly #limits: HeaderLimits;

  constructor(limits: HeaderLimits) {
    this.#limits = limits;
  }

  addField({ name, value, isWellFormed }: HeaderField): void {
    this.add(name, value, isWellFormed);
  }

  add(name: HeaderName, value: string, isWellFormed: boolean): void {
    this.bytes += name.text.length + value.length + 32;
    if (this.bytes > this.#limits.bytes || ++this.#count > this.#limits.count) this.isTooLarge = true;
    if (!isWellFormed) this.isMalformed = true;
    // Nothing more is kept of what is refused.
    if (this.isTooLarge) return;
    if (name.role === role.plain) this.lines.push(name.text, value);
    else this.#addSpecial(name, value);
  }

  #addSpecial(name: HeaderName, value: string): void {
    if (name.role === role.forbidden) this.isMalformed = true;
    else if (name.role === role.contentLength) this.#addLength(name, value);
    else if (name.role === role.te) {
      if (value.toLowerCase() !== 'trailers') this.isMalformed = true;
      this.lines.push(name.text, value);
    } else this.#addPseudo(name.role, value);
  }

  /** Each at most once, and before all others. */
  #addPseudo(which: number, value: string): void {
    const key = pseudoFields[which] as 'method' | 'scheme' | 'authority' | 'path';
    if (this.lines.length > 0 || this[key] !== undefined) this.isMalformed = true;
    this[key] = value;
  }

  #addLength(name: HeaderName, value: string): void {
    const length = /^\d{1,15}$/.test(value) ? Number(value) : undefined;
    if (length === undefined || (this.contentLength ?? length) !== length) this.isMalformed = true;
    this.contentLength = length;
    this.lines.push(name.text, value);
  }

  /** Whether this can be answered: what stands for the request line is whole. */
  get isRequest(): boolean {
    if (this.isMalformed || !this.method) return false;
    if (this.method === 'CONNECT') return this.path === undefined && this.scheme === undefined && !!this.authority;
    return this.scheme !== undefined && this.path !== undefined && (this.path.startsWith('/') || this.path === '*');
  }

  get isTrailers(): boolean {
    return !this.isMalformed && (this.method ?? this.scheme ?? this.authority ?? this.path) === undefined;
  }

  /** The first value of a field. Values are never joined: a field that is repeated by index would cost more than it took to send. */
  value(name: string): string | undefined {
    const { lines } = this;
    for (let i = 0; i < lines.length; i += 2) if (lines[i] === name) return lines[i + 1];
    return undefined;
  }
}

const pseudoFields: Readonly<Record<number, string>> = {
  [role.method]: 'method',
  [role.scheme]: 'scheme',
  [role.authority]: 'authority',
  [role.path]: 'path',
};
