import type { ServiceRanges } from '@tsukube/builtin';
import { type Cidr, parseCidr } from '@tsukube/machinery';
import type { ServeOptions } from './options.ts';

/** The Service CIDRs and the node port range, from validated options. */
export function serviceRanges({ serviceClusterIpRange, serviceNodePortRange }: ServeOptions): ServiceRanges {
  return {
    clusterIPs: serviceClusterIpRange.map((cidr) => parseCidr(cidr) as Cidr),
    nodePorts: portRange(serviceNodePortRange) as ServiceRanges['nodePorts'],
  };
}

const shortestIPv4 = 12;
const shortestIPv6 = 64;

export function clusterRangeComplaint(texts: readonly string[]): string | undefined {
  if (texts.length < 1 || texts.length > 2) return 'must have one range, or one of each family';
  const ranges = texts.map((text) => parseCidr(text));
  for (const [i, range] of ranges.entries()) {
    if (!range) return `has "${texts[i]}", which is not a range of addresses such as 10.0.0.0/24`;
    const shortest = range.family === 'IPv4' ? shortestIPv4 : shortestIPv6;
    if (range.bits < shortest) return `is too large: the mask of ${range.family} must be at least /${shortest}`;
    if (range.family === 'IPv4' && range.bits > 30) return 'is too small: it has no address for a service';
  }
  return ranges.length === 2 && ranges[0]?.family === ranges[1]?.family ? 'has two ranges of one family' : undefined;
}

export function portRangeComplaint(text: string): string | undefined {
  const range = portRange(text);
  if (!range) return 'is not a range of ports such as 30000-32767';
  return range.first < 1 || range.last > 65_535 || range.first > range.last ? 'is not within 1-65535' : undefined;
}

/** `first-last`, `first+more` or a single port. */
function portRange(text: string): ServiceRanges['nodePorts'] | undefined {
  const [, first, sign, second] = /^(\d{1,5})(?:([-+])(\d{1,5}))?$/.exec(text) ?? [];
  if (first === undefined) return undefined;
  const from = Number(first);
  if (second === undefined) return { first: from, last: from };
  return { first: from, last: sign === '+' ? from + Number(second) : Number(second) };
}
