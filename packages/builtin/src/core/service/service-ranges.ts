import { type AddressFamily, type Cidr, lastOf, parseCidr } from '@tsukube/machinery';

/** What services get their addresses and ports from. */
export interface ServiceRanges {
  /** One or two, of different families; the first is that of services which do not care. */
  readonly clusterIPs: readonly Cidr[];
  readonly nodePorts: { readonly first: number; readonly last: number };
}

export const defaultServiceRanges: ServiceRanges = {
  clusterIPs: [parseCidr('10.0.0.0/24') as Cidr],
  nodePorts: { first: 30_000, last: 32_767 },
};

/** Numbers to choose from. What lies below `dynamicFrom` is chosen last: it is for those who ask for a certain one. */
export interface Choice {
  readonly first: bigint;
  readonly last: bigint;
  readonly dynamicFrom: bigint;
}

export function rangeOf({ clusterIPs }: ServiceRanges, family: string): Cidr | undefined {
  return clusterIPs.find((cidr) => cidr.family === family);
}

export function familiesOf({ clusterIPs }: ServiceRanges): readonly AddressFamily[] {
  return clusterIPs.map(({ family }) => family);
}

/** Neither the address of the network nor that of a broadcast is given to a service. */
export function addressChoice(cidr: Cidr): Choice {
  const first = cidr.base + 1n;
  const last = cidr.family === 'IPv4' ? lastOf(cidr) - 1n : lastOf(cidr);
  return { first, last, dynamicFrom: first + reserved(last - first + 1n, 16n, 256n) };
}

export function portChoice({ nodePorts }: ServiceRanges): Choice {
  const [first, last] = [BigInt(nodePorts.first), BigInt(nodePorts.last)];
  return { first, last, dynamicFrom: first + reserved(last - first + 1n, 32n, 128n) };
}

const fewest = 16n;

function reserved(size: bigint, part: bigint, most: bigint): bigint {
  if (size <= fewest) return 0n;
  const share = size / part;
  if (share < fewest) return fewest;
  return share > most ? most : share;
}

/** A number that is free, by chance, so that one that was given back is not the next one given. */
export function chooseFree(
  { first, last, dynamicFrom }: Choice,
  isTaken: (number: bigint) => boolean,
  random: () => number,
): bigint | undefined {
  return scan(dynamicFrom, last, isTaken, random) ?? scan(first, dynamicFrom - 1n, isTaken, random);
}

/** More numbers than this are not told apart by chance. */
const mostStarts = 2n ** 48n;

function scan(first: bigint, last: bigint, isTaken: (number: bigint) => boolean, random: () => number): bigint | undefined {
  const size = last - first + 1n;
  if (size <= 0n) return undefined;
  const starts = size < mostStarts ? size : mostStarts;
  const start = BigInt(Math.floor(random() * Number(starts)));
  for (let i = 0n; i < size; i++) {
    const number = first + ((start + i) % size);
    if (!isTaken(number)) return number;
  }
  return undefined;
}
