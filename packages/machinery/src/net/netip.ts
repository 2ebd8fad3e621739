import { goQuote } from '../text/go-quote.ts';

/** An IP address as an integer of 32 or 128 bits. */
export interface ParsedAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
  readonly zone: string;
}

/** Invalid address; the message equals Go's. */
export class AddressError extends Error {
  override readonly name = 'AddressError';
}

/** Go's netip.ParseAddr. Throws AddressError. */
export function parseAddr(text: string): ParsedAddress {
  const mark = /[.:%]/.exec(text)?.[0];
  if (mark === '.') return { bits: 32, value: parseDotted(text, text), zone: '' };
  if (mark === ':') return parseIPv6(text);
  throw problem(text, mark === '%' ? 'missing IPv6 address' : 'unable to parse IP');
}

function problem(text: string, message: string, at = ''): AddressError {
  return new AddressError(`ParseAddr(${goQuote(text)}): ${message}${at === '' ? '' : ` (at ${goQuote(at)})`}`);
}

function parseDotted(whole: string, text: string): bigint {
  const fields: number[] = [];
  let field = '';
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i);
    if (/[0-9]/.test(character)) {
      if (field === '0') throw problem(whole, 'IPv4 field has octet with leading zero');
      field += character;
      if (Number(field) > 255) throw problem(whole, 'IPv4 field has value >255');
    } else if (character !== '.') {
      throw problem(whole, 'unexpected character', text.slice(i));
    } else {
      if (field === '' || i === text.length - 1) throw problem(whole, 'IPv4 field must have at least one digit', text.slice(i));
      if (fields.length === 3) throw problem(whole, 'IPv4 address too long');
      fields.push(Number(field));
      field = '';
    }
  }
  if (fields.length < 3) throw problem(whole, 'IPv4 address too short');
  return [...fields, Number(field)].reduce((sum, each) => (sum << 8n) + BigInt(each), 0n);
}

function parseIPv6(whole: string): ParsedAddress {
  const [address = '', ...zones] = whole.split('%');
  const zone = zones.join('%');
  if (zones.length > 0 && zone === '') throw problem(whole, 'zone must be a non-empty string');
  return { bits: 128, value: new GroupReader(whole, address).read(), zone };
}

/** Reads the 16-bit groups of an IPv6 address with at most one `::`. */
class GroupReader {
  readonly #whole: string;
  readonly #groups: bigint[] = [];
  #rest: string;
  #gap = -1;

  constructor(whole: string, text: string) {
    this.#whole = whole;
    this.#rest = text;
  }

  read(): bigint {
    if (this.#rest.startsWith('::')) {
      this.#gap = 0;
      this.#rest = this.#rest.slice(2);
    }
    while (this.#rest !== '' && this.#groups.length < 8 && this.#readGroup());
    if (this.#rest !== '') throw this.#problem('trailing garbage after address');
    return this.#total();
  }

  /** False at the end of the text. */
  #readGroup(): boolean {
    const digits = /^[0-9a-fA-F]*/.exec(this.#rest)?.[0] ?? '';
    if (digits.length > 4) throw this.#problem('each group must have 4 or less digits');
    if (digits === '') throw this.#problem('each colon-separated field must have at least one digit');
    if (this.#rest[digits.length] === '.') return this.#readDotted();
    this.#groups.push(BigInt(`0x${digits}`));
    this.#rest = this.#rest.slice(digits.length);
    if (this.#rest === '') return false;
    if (this.#rest[0] !== ':') throw this.#problem('unexpected character, want colon');
    if (this.#rest === ':') throw this.#problem('colon must be followed by more characters');
    this.#rest = this.#rest.slice(1);
    if (this.#rest[0] === ':') this.#readGap();
    return true;
  }

  #readGap(): void {
    if (this.#gap >= 0) throw this.#problem('multiple :: in address');
    this.#gap = this.#groups.length;
    this.#rest = this.#rest.slice(1);
  }

  #readDotted(): boolean {
    if (this.#gap < 0 && this.#groups.length !== 6) {
      throw this.#problem('embedded IPv4 address must replace the final 2 fields of the address');
    }
    if (this.#groups.length > 6) throw this.#problem('too many hex fields to fit an embedded IPv4 at the end of the address');
    const value = parseDotted(this.#whole, this.#rest);
    this.#groups.push(value >> 16n, value & 0xffffn);
    this.#rest = '';
    return false;
  }

  #total(): bigint {
    const missing = 8 - this.#groups.length;
    if (missing > 0 && this.#gap < 0) throw problem(this.#whole, 'address string too short');
    if (missing === 0 && this.#gap >= 0) throw problem(this.#whole, 'the :: must expand to at least one field of zeros');
    const zeros = Array<bigint>(missing).fill(0n);
    const groups = missing === 0 ? this.#groups : this.#groups.toSpliced(this.#gap, 0, ...zeros);
    return groups.reduce((sum, group) => (sum << 16n) + group, 0n);
  }

  #problem(message: string): AddressError {
    return problem(this.#whole, message, this.#rest);
  }
}

export interface ParsedPrefix {
  readonly address: ParsedAddress;
  readonly length: number;
}

/** Go's netip.ParsePrefix. Throws AddressError. */
export function parsePrefix(text: string): ParsedPrefix {
  const slash = text.lastIndexOf('/');
  if (slash < 0) throw prefixProblem(text, "no '/'");
  const address = addressOf(text, text.slice(0, slash));
  if (address.zone !== '') throw prefixProblem(text, 'IPv6 zones cannot be present in a prefix');
  const length = text.slice(slash + 1);
  if (!/^(0|[1-9][0-9]{0,17})$/.test(length)) throw prefixProblem(text, `bad bits after slash: ${goQuote(length)}`);
  if (Number(length) > address.bits) throw prefixProblem(text, 'prefix length out of range');
  return { address, length: Number(length) };
}

function addressOf(text: string, address: string): ParsedAddress {
  try {
    return parseAddr(address);
  } catch (error) {
    throw error instanceof AddressError ? prefixProblem(text, error.message) : error;
  }
}

function prefixProblem(text: string, message: string): AddressError {
  return new AddressError(`netip.ParsePrefix(${goQuote(text)}): ${message}`);
}
