import { type Address, type AddressFamily, formatAddress, parseAddress } from './address.ts';

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
