export type AddressFamily = 'IPv4' | 'IPv6';

/** An IP address as an integer of 32 or 128 bits. */
export interface Address {
  readonly family: AddressFamily;
  readonly value: bigint;
  /** Written with leading zeros, which some programs read as octal. */
  readonly leadingZeros: boolean;
  /** IPv4-mapped IPv6 address; `family` and `value` are those of the IPv4 address. */
  readonly mapped: boolean;
}

/** Parses any notation; no zones. */
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

/** 16-bit groups; the last two may be in IPv4 notation. */
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

/** Canonical form; RFC 5952 for IPv6. */
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

/** A CIDR range. */
export interface Cidr {
  readonly family: AddressFamily;
  /** First address of the range. */
  readonly base: bigint;
  readonly bits: number;
  /** The address as written, possibly with bits beyond the prefix. */
  readonly address: Address;
  /** The prefix length has leading zeros. */
  readonly leadingZeros: boolean;
}

export function widthOf(family: AddressFamily): number {
  return family === 'IPv4' ? 32 : 128;
}

/** Parses `address/length` in any notation. */
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

/** Last address of the range. */
export function lastOf({ family, base, bits }: Cidr): bigint {
  return base + (1n << BigInt(widthOf(family) - bits)) - 1n;
}

export function containsAddress(cidr: Cidr, address: Pick<Address, 'family' | 'value'>): boolean {
  return cidr.family === address.family && address.value >= cidr.base && address.value <= lastOf(cidr);
}
