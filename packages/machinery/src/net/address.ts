export type AddressFamily = 'IPv4' | 'IPv6';

/** An IP address as a number of 32 or 128 bits. */
export interface Address {
  readonly family: AddressFamily;
  readonly value: bigint;
  /** Part of it was written with leading zeros, which some programs read as octal. */
  readonly leadingZeros: boolean;
  /** An IPv4 address that was written as an IPv6 one; `family` and `value` are those of the former. */
  readonly mapped: boolean;
}

/** Reads an address however it is written. Zones are not part of one. */
export function parseAddress(text: string): Address | undefined {
  return text.includes(':') ? parseIPv6(text) : parseIPv4(text);
}

function parseIPv4(text: string): Address | undefined {
  if (!/^\d{1,10}(?:\.\d{1,10}){3}$/.test(text)) return undefined;
  const parts = text.split('.');
  if (parts.some((part) => Number(part) > 255)) return undefined;
  const value = parts.reduce((sum, part) => (sum << 8n) + BigInt(part), 0n);
  return { family: 'IPv4', value, leadingZeros: parts.some((part) => /^0\d/.test(part)), mapped: false };
}

const mappedPrefix = 0xffffn;

function parseIPv6(text: string): Address | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = [groupsOf(halves[0] ?? '', halves.length === 1), groupsOf(halves[1] ?? '', true)];
  if (!head || !tail) return undefined;
  const missing = 8 - head.groups.length - tail.groups.length;
  if (halves.length === 1 ? missing !== 0 : missing < 1) return undefined;
  const groups = [...head.groups, ...Array<bigint>(missing).fill(0n), ...tail.groups];
  const value = groups.reduce((sum, group) => (sum << 16n) + group, 0n);
  const leadingZeros = head.leadingZeros || tail.leadingZeros;
  if (value >> 32n === mappedPrefix) return { family: 'IPv4', value: value & 0xffff_ffffn, leadingZeros, mapped: true };
  return { family: 'IPv6', value, leadingZeros, mapped: false };
}

interface Groups {
  readonly groups: readonly bigint[];
  readonly leadingZeros: boolean;
}

/** Sixteen bits each; the last two may be written as an IPv4 address where the text ends. */
function groupsOf(text: string, atEnd: boolean): Groups | undefined {
  if (text === '') return { groups: [], leadingZeros: false };
  const parts = text.split(':');
  const groups: bigint[] = [];
  let leadingZeros = false;
  for (const [i, part] of parts.entries()) {
    const dotted = atEnd && i === parts.length - 1 ? parseIPv4(part) : undefined;
    if (dotted) {
      groups.push(dotted.value >> 16n, dotted.value & 0xffffn);
      leadingZeros = dotted.leadingZeros;
    } else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return { groups, leadingZeros };
}

/** The one form in which an address is written: for IPv6 that of RFC 5952. */
export function formatAddress({ family, value }: Pick<Address, 'family' | 'value'>): string {
  return family === 'IPv4' ? formatIPv4(value) : formatIPv6(value);
}

function formatIPv4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
}

function formatIPv6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => Number((value >> BigInt(112 - 16 * i)) & 0xffffn));
  const { start, length } = longestZeros(groups);
  const hex = (part: readonly number[]) => part.map((group) => group.toString(16)).join(':');
  if (length < 2) return hex(groups);
  return `${hex(groups.slice(0, start))}::${hex(groups.slice(start + length))}`;
}

function longestZeros(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}

/** A range of addresses: all that begin with the same bits. */
export interface Cidr {
  readonly family: AddressFamily;
  /** The first address of the range. */
  readonly base: bigint;
  readonly bits: number;
  /** The address as it was written, which may have bits beyond the prefix. */
  readonly address: Address;
  /** The length of the prefix was written with leading zeros. */
  readonly leadingZeros: boolean;
}

export function widthOf(family: AddressFamily): number {
  return family === 'IPv4' ? 32 : 128;
}

/** Reads `address/length` however it is written. */
export function parseCidr(text: string): Cidr | undefined {
  const slash = text.indexOf('/');
  const length = text.slice(slash + 1);
  if (slash < 0 || !/^\d{1,5}$/.test(length)) return undefined;
  const written = parseAddress(text.slice(0, slash));
  if (!written) return undefined;
  const bits = Number(length) - (written.mapped ? 96 : 0);
  const width = widthOf(written.family);
  if (bits < 0 || bits > width) return undefined;
  const rest = BigInt(width - bits);
  return {
    family: written.family,
    base: (written.value >> rest) << rest,
    bits,
    address: written,
    leadingZeros: /^0\d/.test(length),
  };
}

export function formatCidr({ family, base, bits }: Pick<Cidr, 'family' | 'base' | 'bits'>): string {
  return `${formatAddress({ family, value: base })}/${bits}`;
}

/** The last address of the range. */
export function lastOf({ family, base, bits }: Cidr): bigint {
  return base + (1n << BigInt(widthOf(family) - bits)) - 1n;
}

export function containsAddress(cidr: Cidr, address: Pick<Address, 'family' | 'value'>): boolean {
  return cidr.family === address.family && address.value >= cidr.base && address.value <= lastOf(cidr);
}
