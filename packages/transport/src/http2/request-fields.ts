import { type HeaderField, type HeaderName, headerRole } from './header-field.ts';

export interface HeaderLimits {
  readonly bytes: number;
  readonly count: number;
}

/** The header or trailers of a request. Immutable once decoded: equal requests share one object. */
export class RequestFields {
  method: string | undefined;
  scheme: string | undefined;
  authority: string | undefined;
  path: string | undefined;
  contentLength: number | undefined;
  /** Names and values alternate; pseudo-header fields are not included. */
  readonly lines: string[] = [];
  isTooLarge = false;
  /** Malformed (RFC 9113, 8.1.1): a stream error. */
  isMalformed = false;
  /** Size of the header list (RFC 9113, 6.5.2). */
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
    // The rest of an oversized header is decoded, but not stored.
    if (this.isTooLarge) return;
    if (name.role === headerRole.plain) this.lines.push(name.text, value);
    else this.#addSpecial(name, value);
  }

  #addSpecial(name: HeaderName, value: string): void {
    if (name.role === headerRole.forbidden) this.isMalformed = true;
    else if (name.role === headerRole.contentLength) this.#addLength(name, value);
    else if (name.role === headerRole.te) {
      if (value.toLowerCase() !== 'trailers') this.isMalformed = true;
      this.lines.push(name.text, value);
    } else this.#addPseudo(name.role, value);
  }

  /** Pseudo-header fields occur at most once, and before all others. */
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

  /** Whether all required pseudo-header fields are present and valid. */
  get isRequest(): boolean {
    if (this.isMalformed || !this.method) return false;
    if (this.method === 'CONNECT') return this.path === undefined && this.scheme === undefined && !!this.authority;
    return this.scheme !== undefined && this.path !== undefined && (this.path.startsWith('/') || this.path === '*');
  }

  get isTrailers(): boolean {
    return !this.isMalformed && (this.method ?? this.scheme ?? this.authority ?? this.path) === undefined;
  }

  /** The first value of a field. Values are not joined: fields repeated by index are cheap to send and would be expensive to join. */
  value(name: string): string | undefined {
    const { lines } = this;
    for (let i = 0; i < lines.length; i += 2) if (lines[i] === name) return lines[i + 1];
    return undefined;
  }
}

const pseudoFields: Readonly<Record<number, string>> = {
  [headerRole.method]: 'method',
  [headerRole.scheme]: 'scheme',
  [headerRole.authority]: 'authority',
  [headerRole.path]: 'path',
};
