import { type AddressFamily, type Cidr, lastOf, parseCidr } from '@tsukube/machinery';

/** Ranges for cluster IPs and node ports. */
export interface ServiceRanges {
  /** One range, or one for each IP family; the first is the default family. */
  readonly clusterIPs: readonly Cidr[];
  readonly nodePorts: { readonly first: number; readonly last: number };
}

export const defaultServiceRanges: ServiceRanges = {
  clusterIPs: [parseCidr('10.0.0.0/24') as Cidr],
  nodePorts: { first: 30_000, last: 32_767 },
};

/** A range with a static band: values below `dynamicFrom` are meant for explicit requests and picked last. */
interface AllocationRange {
  readonly first: bigint;
  readonly last: bigint;
  readonly dynamicFrom: bigint;
}

export function familiesOf({ clusterIPs }: ServiceRanges): readonly AddressFamily[] {
  return clusterIPs.map(({ family }) => family);
}

/** Excludes the network address and, for IPv4, the broadcast address. */
export function clusterIPRange(cidr: Cidr): AllocationRange {
  const first = cidr.base + 1n;
  const last = cidr.family === 'IPv4' ? lastOf(cidr) - 1n : lastOf(cidr);
  return { first, last, dynamicFrom: first + reserved(last - first + 1n, 16n, 256n) };
}

export function nodePortRange({ nodePorts }: ServiceRanges): AllocationRange {
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

/** A random free value, so that a released one is not reused at once. */
export function pickFree(
  { first, last, dynamicFrom }: AllocationRange,
  isTaken: (number: bigint) => boolean,
  random: () => number,
): bigint | undefined {
  return scan(dynamicFrom, last, isTaken, random) ?? scan(first, dynamicFrom - 1n, isTaken, random);
}

/** Number of distinct start positions that a random double can address. */
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
