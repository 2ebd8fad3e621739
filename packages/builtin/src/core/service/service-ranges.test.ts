import { type Cidr, parseCidr } from '@tsukube/machinery';
import { describe, expect, it } from 'vitest';
import { clusterIPRange, defaultServiceRanges, nodePortRange, pickFree } from './service-ranges.ts';

const cidr = (text: string) => parseCidr(text) as Cidr;

describe('allocation ranges', () => {
  it.each([
    ['10.0.0.0/24', 1n, 254n, 17n],
    ['10.0.0.0/20', 1n, 4094n, 256n],
    ['10.0.0.0/29', 1n, 6n, 1n],
    ['2001:db8::/120', 1n, 255n, 17n],
  ])('cluster IPs of %s', (text, first, last, dynamicFrom) => {
    const { base } = cidr(text);
    expect(clusterIPRange(cidr(text))).toEqual({ first: base + first, last: base + last, dynamicFrom: base + dynamicFrom });
  });

  it('node ports', () => {
    expect(nodePortRange(defaultServiceRanges)).toEqual({ first: 30_000n, last: 32_767n, dynamicFrom: 30_086n });
  });
});

describe('picking a free value', () => {
  const choice = { first: 1n, last: 5n, dynamicFrom: 3n };

  it.each<[string, bigint[], number, bigint | undefined]>([
    ['is random', [], 0.5, 4n],
    ['goes round', [5n], 0.9, 3n],
    ['uses the range for static allocation last', [3n, 4n, 5n], 0, 1n],
    ['fails when all values are allocated', [1n, 2n, 3n, 4n, 5n], 0, undefined],
  ])('%s', (_, taken, random, expected) => {
    expect(
      pickFree(
        choice,
        (number) => taken.includes(number),
        () => random,
      ),
    ).toBe(expected);
  });
});
